// How long work takes on a core that other threads use at times, and what the worker's thread can measure of that.
//
// The system gives a core to one thread after the other. A worker that shares its core computes for one time slice of
// its own CPU time, then each other thread has one slice. A slice does not pass while the worker sleeps: when it wakes
// up it has the core at once, for the rest of its slice. With a quota the worker computes until the quota is used up,
// then it waits for the next period.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "lb/interval_meter.hpp"
#include "sim/platform.hpp"

namespace weft::sim {

// One worker's core. Calls must have non-decreasing times.
class CoreShare {
 public:
  CoreShare(double speed, std::vector<ShareStep> steps) : speed_(speed), steps_(std::move(steps)) { begin({}); }

  // Returns when `work` seconds (at speed 1) that begin at `now` are done.
  Seconds finish(Seconds now, Seconds work) {
    const Seconds end = now + work * seconds_per_work_;
    if (end > even_until_) {
      return finish_by_pieces(now, work);
    }
    count(work);
    return end;
  }
  // What the system would report at `now`: for the thread, and for its core.
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
  // Rates while the worker has the core. A step without a period spreads its share evenly, so these hold at all times.
  double seconds_per_work_ = 1.0;
  double ran_per_work_ = 1.0;
  double alone_per_work_ = 1.0;
  double waited_per_work_ = 0.0;
  Seconds even_until_ = 0.0;  // until then the rates above hold at all times
  ShareStep step_;
  Seconds left_ = 0.0;        // CPU time left in this period
  Seconds period_end_ = 0.0;  // of a quota
  Seconds ran_ = 0.0;
  Seconds ran_alone_ = 0.0;  // while nobody else wanted the core
  Seconds waited_ = 0.0;     // for others, or for a new period of the quota
  std::vector<ShareStep> steps_;
  std::size_t next_ = 0;
};

}  // namespace weft::sim
