#include "runtime/worker/windows.hpp"

#include "runtime/job/job.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

// The system counts in ticks of 10 ms: to look more often would cost and tell nothing.
constexpr double kBetweenCoreReads = 0.1;

const CoreTimes* find(const CoreTable& cores, const std::optional<std::uint32_t>& core) {
  const auto found = core ? cores.find(*core) : cores.end();
  return found == cores.end() ? nullptr : &found->second;
}

}  // namespace

std::vector<WindowLoad> WorkerWindows::next(const Job& job) {
  workers_.resize(job.worker_count());
  std::vector<WindowLoad> loads(workers_.size());
  CoreTable cores;
  const double now = static_cast<double>(ticks()) / ticks_per_second();
  if (now - cores_read_at_ >= kBetweenCoreReads) {
    cores_read_at_ = now;
    cores = read_core_times();
  }
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    const WorkerMeter& meter = job.worker(w).meter();
    const std::optional<WorkerTimes> times = meter.read();
    if (!times) {
      continue;
    }
    One& one = workers_[w];
    if (!one.began) {
      one.began = true;
      one.window.begin(meter.first(), meter.first_core());
    }
    loads[w] = one.window.next(*times, find(cores, meter.core()), meter.core().has_value());
  }
  return loads;
}

}  // namespace weft::runtime
