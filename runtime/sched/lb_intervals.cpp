#include "runtime/sched/lb_intervals.hpp"

#include <algorithm>
#include <utility>

#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// The system counts in ticks of 10 ms: to look more often would cost and tell nothing.
constexpr double kBetweenCoreReads = 0.1;

// So that measuring takes a hundredth of the time at most.
constexpr double kShortestInterval = 200e-6;  // seconds, for each worker

lb::IntervalLoad scaled(const lb::IntervalLoad& load, double wall) {
  const double factor = load.wall > 0 ? wall / load.wall : 0;
  return {.wall = wall,
          .ran = load.ran * factor,
          .background = load.background * factor,
          .stolen = load.stolen * factor,
          .contended = load.contended * factor,
          .speed = load.speed};
}

const CoreTimes* find(const CoreTable& cores, const std::optional<std::uint32_t>& core) {
  const auto found = core ? cores.find(*core) : cores.end();
  return found == cores.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<lb::IntervalLoad> WorkerIntervals::next(std::span<Worker* const> workers) {
  workers_.resize(workers.size());
  std::vector<lb::IntervalLoad> loads(workers_.size());
  const double now = static_cast<double>(ticks()) / ticks_per_second();
  const double wall = now - std::exchange(last_call_, now);
  if (!last_.empty() && now - measured_at_ < kShortestInterval * static_cast<double>(workers_.size())) {
    std::transform(last_.begin(), last_.end(), loads.begin(), [&](const auto& load) { return scaled(load, wall); });
    return loads;
  }
  measured_at_ = now;
  CoreTable cores;
  if (now - cores_read_at_ >= kBetweenCoreReads) {
    cores_read_at_ = now;
    cores = read_core_times();
  }
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const WorkerMeter& meter = workers[w]->meter();
    const std::optional<WorkerTimes> times = meter.read();
    if (!times) {
      continue;
    }
    One& one = workers_[w];
    if (!one.began) {
      one.began = true;
      one.interval.begin(meter.first(), meter.first_core());
    }
    loads[w] = one.interval.next(*times, find(cores, meter.core()), meter.core().has_value());
  }
  last_ = loads;
  return loads;
}

}  // namespace sched
}  // namespace weft::runtime
