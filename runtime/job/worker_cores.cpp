// Which cores a job's workers are bound to.
#include "runtime/job/job.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/timeline/timeline.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace job {

std::vector<WorkerCore> Job::cores_of_workers() const {
  std::vector<WorkerCore> cores;
  for (const Worker* const worker : workers_) {
    const auto core = worker->meter().core();
    cores.push_back(core ? WorkerCore{.core = *core, .numa = numa_of(*core)} : WorkerCore{});
  }
  return cores;
}

}  // namespace job
}  // namespace weft::runtime
