#include "runtime/control/computing.hpp"

#include "runtime/meter/ticks.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace control {
namespace {

// What the running rank has cost until now; the segment that it is in goes on.
std::uint64_t plain_cost(const Worker& here, std::uint64_t now) {
  return here.running()->load.cycles.load(std::memory_order_relaxed) + now - here.running_since();
}

// The same after a reading of the thread's clocks, if that is due.
std::uint64_t measured_cost(Worker& here, std::uint64_t now) {
  if (!here.meter().reading_is_due(now)) {
    return plain_cost(here, now);
  }
  here.update_load();
  return plain_cost(here, here.running_since());
}

// Without what others had of it; `plain` and `measured`: without and after a reading that was made since `now`.
std::uint64_t corrected(const Worker& here, std::uint64_t now, std::uint64_t plain, std::uint64_t measured) {
  Recorder& recorder = *here.recorder();
  const WorkerMeter& meter = here.meter();
  if (meter.read_at() == recorder.settled_until()) {
    return measured;
  }
  std::uint64_t computed = measured;
  // A reading that was made in a call, while the worker was busy with that, is as good as one now.
  if (const MissingTime& missing = meter.last_missing(); missing.at != recorder.accounted_for().at) {
    const bool is_now = missing.at >= now;
    const bool is_spread = !is_now || 2 * plain < missing.at - missing.since;
    recorder.account_for(missing, is_spread);
    if (is_now && is_spread) {
      computed = static_cast<std::uint64_t>(static_cast<double>(plain) * (1 - share_of(missing)));
    }
  }
  recorder.settle_computed(meter.read_at());
  return computed;
}

}  // namespace

void begin_computing(Worker& here, Rank& me, std::uint64_t now) { me.computing_since = measured_cost(here, now); }

void end_computing(Worker& here, Rank& me, std::uint64_t now) {
  const std::uint64_t since = me.computing_since;
  const auto past = [since](std::uint64_t cost) { return cost > since ? cost - since : 0; };
  const std::uint64_t plain = past(plain_cost(here, now));
  const std::uint64_t measured = past(measured_cost(here, now));
  here.recorder()->computed(me.id, corrected(here, now, plain, measured), now);
}

}  // namespace control
}  // namespace weft::runtime
