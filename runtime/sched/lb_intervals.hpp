// The windows of all workers of a process.
#pragma once

#include <vector>

#include "runtime/sched/lb_interval.hpp"

namespace weft::runtime {

class Job;

// One thread at a time.
class WorkerIntervals {
 public:
  // What the job's workers did since the last call, or since they began; by worker. Two microseconds for each worker,
  // and the system's table of cores at times. Windows too short for that are taken to be like the one before.
  std::vector<IntervalLoad> next(const Job& job);

 private:
  struct One {
    WorkerInterval window;
    bool began = false;
  };
  std::vector<One> workers_;
  std::vector<IntervalLoad> last_;  // of the last window that was measured
  double last_call_ = 0;
  double measured_at_ = 0;
  double cores_read_at_ = 0;
};

}  // namespace weft::runtime
