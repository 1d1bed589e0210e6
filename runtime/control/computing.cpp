#include "runtime/control/computing.hpp"

#include "runtime/meter/ticks.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace control {
namespace {

// What the running rank has cost until now, with its current segment.
std::uint64_t plain_cost(const Worker& here, std::uint64_t now) {
  return here.running()->load.cycles.load(std::memory_order_relaxed) + now - here.running_since();
}

// The same, after a reading of the thread's clocks if that is due.
std::uint64_t measured_cost(Worker& here, std::uint64_t now) {
  if (!here.meter().reading_is_due(now)) {
    return plain_cost(here, now);
  }
  here.update_load();
  return plain_cost(here, here.running_since());
}

// The ticks that the rank has computed, without the time for which others had the core. `plain` and `measured`: these
// ticks before and after the reading of the clocks that measured_cost() has made, if one was due.
std::uint64_t corrected(const Worker& here, std::uint64_t now, std::uint64_t plain, std::uint64_t measured) {
  Recorder& recorder = *here.recorder();
  const WorkerMeter& meter = here.meter();
  if (meter.read_at() == recorder.settled_until()) {
    return measured;
  }
  std::uint64_t computed = measured;
  // The last reading may be older: made inside a call. What it has found is then subtracted from the computations
  // before that call, and this one is left as it is.
  if (const OffCpuTime& off_cpu = meter.last_off_cpu(); off_cpu.at != recorder.accounted_for().at) {
    const bool is_now = off_cpu.at >= now;
    const bool is_spread = !is_now || 2 * plain < off_cpu.at - off_cpu.since;
    recorder.note_off_cpu(off_cpu, is_spread);
    if (is_now && is_spread) {
      computed = static_cast<std::uint64_t>(static_cast<double>(plain) * (1 - off_cpu_share(off_cpu)));
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
  here.recorder()->record_computing(me.id, corrected(here, now, plain, measured), now);
}

}  // namespace control
}  // namespace weft::runtime
