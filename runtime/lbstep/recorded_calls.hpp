// What a recording keeps of each call of MPI_Migrate, also where that is no balancing step: what the step would be
// decided from.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/control/job_context.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/sched/lb_interval.hpp"

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
  // Of one worker, touched by that alone. A line of the cache each: they write at every call.
  struct alignas(64) PerWorker {
    WorkerInterval interval;
    bool began = false;
    std::uint64_t call = 0;    // the last one that was noted
    double measured_at = 0;    // seconds of the time stamp counter
    double cores_read_at = 0;  // likewise: the system's table of cores
  };
  void note_worker(Worker& here, std::uint64_t call);

  const JobContext& job_;
  std::vector<PerWorker> workers_;
};

}  // namespace lbstep
}  // namespace weft::runtime
