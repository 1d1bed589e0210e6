#include "runtime/sched/interval_meters.hpp"

#include <algorithm>
#include <utility>

#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// Seconds between reads of the system's table of cores, which counts in ticks of 10 ms.
constexpr double kCoreReadInterval = 0.1;

// Seconds for each worker. In a shorter interval nothing is measured, so that measuring takes a hundredth of the time.
constexpr double kLeastInterval = 200e-6;

trace::WorkerInterval scaled(const trace::WorkerInterval& interval, double wall) {
  const double factor = interval.wall > 0 ? wall / interval.wall : 0;
  return {.wall = wall,
          .ran = interval.ran * factor,
          .background = interval.background * factor,
          .stolen = interval.stolen * factor,
          .contended = interval.contended * factor,
          .speed = interval.speed};
}

// The times of this core; null where the table was not read or does not have it.
const CoreTimes* times_of(const CoreTable& cores, const std::optional<std::uint32_t>& core) {
  const auto found = core ? cores.find(*core) : cores.end();
  return found == cores.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<trace::WorkerInterval> WorkerIntervalMeters::next(std::span<Worker* const> workers) {
  workers_.resize(workers.size());
  std::vector<trace::WorkerInterval> intervals(workers_.size());
  const double now = static_cast<double>(ticks()) / ticks_per_second();
  const double wall = now - std::exchange(last_call_, now);
  if (!last_.empty() && now - measured_at_ < kLeastInterval * static_cast<double>(workers_.size())) {
    std::transform(last_.begin(), last_.end(), intervals.begin(),
                   [&](const auto& interval) { return scaled(interval, wall); });
    return intervals;
  }
  measured_at_ = now;
  CoreTable cores;
  if (now - cores_read_at_ >= kCoreReadInterval) {
    cores_read_at_ = now;
    cores = read_core_times();
  }
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const WorkerMeter& meter = workers[w]->meter();
    const std::optional<WorkerTimes> times = meter.read();
    if (!times) {
      continue;
    }
    PerWorker& worker = workers_[w];
    if (!worker.began) {
      worker.began = true;
      worker.meter.begin(meter.first(), meter.first_core());
    }
    intervals[w] = worker.meter.next(*times, times_of(cores, meter.core()), meter.core().has_value());
  }
  last_ = intervals;
  return intervals;
}

}  // namespace sched
}  // namespace weft::runtime
