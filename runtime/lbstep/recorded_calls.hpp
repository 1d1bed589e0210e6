// What a recording stores for each call of MPI_Migrate, even if that is no balancing step: the data from which a step
// there would be decided.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/control/job_context.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/sched/interval_meter.hpp"

namespace weft::runtime {
inline namespace timeline {
class Recorder;
}  // namespace timeline

inline namespace lbstep {

class RecordedCalls {
 public:
  explicit RecordedCalls(const JobContext& job);

  // On the rank's fibre, before the step.
  void note(Rank& me);

 private:
  // Of one worker, which alone accesses it. One cache line each: workers write at every call.
  struct alignas(64) PerWorker {
    WorkerIntervalMeter interval;
    bool began = false;
    std::uint64_t call = 0;    // the last call that was recorded
    double measured_at = 0;    // seconds of the time stamp counter
    double cores_read_at = 0;  // likewise: the system's table of cores
  };
  void note_worker(Worker& here, std::uint64_t call);

  const JobContext& job_;
  std::vector<PerWorker> workers_;
};

}  // namespace lbstep
}  // namespace weft::runtime
