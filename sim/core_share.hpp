// How long work takes on a core of some speed that others use at times, and what its worker's thread learns of that.
//
// The system gives a core to one thread after the other. A worker beside others computes for a time slice of its own
// CPU time, then the others have one each; between two pieces of work this stands still: a thread that sleeps in the
// middle of its slice has the core at once when it wakes up, for the rest of the slice. A quota lets a worker compute
// until it is used up; then the worker waits for the next period.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "lb/worker_interval.hpp"
#include "sim/platform.hpp"

namespace weft::sim {

// One worker's core. Questions go forward in time.
class CoreShare {
 public:
  CoreShare(double speed, std::vector<ShareStep> steps) : speed_(speed), steps_(std::move(steps)) { begin({}); }

  // When `work` seconds (at speed 1) are done that begin at `now`.
  Seconds finish(Seconds now, Seconds work) {
    const Seconds end = now + work * seconds_per_work_;
    if (end > even_until_) {
      return finish_by_pieces(now, work);
    }
    count(work);
    return end;
  }
  // What the system would have counted until `now`: of the thread, and of its core.
  [[nodiscard]] lb::ThreadTimes thread_until(Seconds now) const;
  [[nodiscard]] lb::CoreUse core_until(Seconds now) const;
  [[nodiscard]] double speed() const { return speed_; }

 private:
  void begin(const ShareStep& step);
  [[nodiscard]] Seconds next_step() const {
    return next_ < steps_.size() ? steps_[next_].from : std::numeric_limits<double>::infinity();
  }
  void count(Seconds work) {
    ran_ += work * ran_per_work_;
    ran_alone_ += work * alone_per_work_;
    waited_ += work * waited_per_work_;
  }
  Seconds finish_by_pieces(Seconds now, Seconds work);
  Seconds wait_for_turn(Seconds now);

  double speed_;
  // While the worker has the core, which is at all times where the present step has no period.
  double seconds_per_work_ = 1.0;
  double ran_per_work_ = 1.0;
  double alone_per_work_ = 1.0;
  double waited_per_work_ = 0.0;
  Seconds even_until_ = 0.0;  // the share is the same at all times
  ShareStep step_;
  Seconds left_ = 0.0;        // CPU time of the present period
  Seconds period_end_ = 0.0;  // of a quota
  Seconds ran_ = 0.0;
  Seconds ran_alone_ = 0.0;  // while nobody else wanted the core
  Seconds waited_ = 0.0;     // for others, or for a new period of the quota
  std::vector<ShareStep> steps_;
  std::size_t next_ = 0;
};

}  // namespace weft::sim
