// Measures the LB intervals of one worker by the system's clocks.
#pragma once

#include <optional>

#include "lb/interval_meter.hpp"
#include "runtime/meter/core_times.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {
inline namespace sched {

// Passes the times of the worker's meter, and the system's times of its core, to an lb::IntervalMeter, which says what
// begin() and next() do.
class WorkerIntervalMeter {
 public:
  void begin(const WorkerTimes& now, const CoreTimes* core) {
    const std::optional<lb::CoreUse> use = use_of(core);
    meter_.begin(times_of(now), use ? &*use : nullptr);
  }
  trace::WorkerInterval next(const WorkerTimes& now, const CoreTimes* core, bool bound) {
    const std::optional<lb::CoreUse> use = use_of(core);
    return meter_.next(times_of(now), use ? &*use : nullptr, bound);
  }

 private:
  static lb::ThreadTimes times_of(const WorkerTimes& times) {
    return {.at = times.at, .ran = times.ran, .slept = times.slept, .blocked = times.blocked, .waited = times.waited};
  }
  static std::optional<lb::CoreUse> use_of(const CoreTimes* core) {
    return core == nullptr ? std::nullopt : std::optional(lb::CoreUse{.idle = core->idle, .stolen = core->stolen});
  }

  lb::IntervalMeter meter_;
};

}  // namespace sched
}  // namespace weft::runtime
