// The LB intervals of all workers of a process.
#pragma once

#include <span>
#include <vector>

#include "runtime/sched/lb_interval.hpp"

namespace weft::runtime {
inline namespace sched {

class Worker;

// One thread at a time.
class WorkerIntervals {
 public:
  // What these workers, the same at each call, did since the last call, or since they began; by worker. Two
  // microseconds for each worker, and the system's table of cores at times. Intervals too short for that are taken to
  // be like the one before.
  std::vector<lb::IntervalLoad> next(std::span<Worker* const> workers);

 private:
  struct One {
    WorkerInterval interval;
    bool began = false;
  };
  std::vector<One> workers_;
  std::vector<lb::IntervalLoad> last_;  // of the last interval that was measured
  double last_call_ = 0;
  double measured_at_ = 0;
  double cores_read_at_ = 0;
};

}  // namespace sched
}  // namespace weft::runtime
