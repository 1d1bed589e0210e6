// Measures the LB intervals of all workers of a process.
#pragma once

#include <span>
#include <vector>

#include "runtime/sched/interval_meter.hpp"

namespace weft::runtime {
inline namespace sched {

class Worker;

// Used by one thread at a time.
class WorkerIntervalMeters {
 public:
  // Ends the interval that began at the last call, or when the workers began, and returns what it was for each worker.
  // `workers` are the same at each call. Costs two microseconds for each worker, and at times a read of the system's
  // table of cores. An interval too short to be worth that gets what was in the last measured one, scaled to its
  // length.
  std::vector<trace::WorkerInterval> next(std::span<Worker* const> workers);

 private:
  struct PerWorker {
    WorkerIntervalMeter meter;
    bool began = false;
  };
  std::vector<PerWorker> workers_;
  std::vector<trace::WorkerInterval> last_;  // of the last interval that was measured
  double last_call_ = 0;                     // this and the next two: seconds of the time stamp counter
  double measured_at_ = 0;
  double cores_read_at_ = 0;
};

}  // namespace sched
}  // namespace weft::runtime
