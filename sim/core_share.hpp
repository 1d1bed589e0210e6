// How long work takes on a core of some speed that others use at times, and what its worker's thread learns of that.
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
  CoreShare(double speed, std::vector<ShareStep> steps) : speed_(speed), steps_(std::move(steps)) { set_share({}); }

  // When `work` seconds (at speed 1) are done that begin at `now`.
  Seconds finish(Seconds now, Seconds work) {
    const Seconds end = now + work * seconds_per_work_;
    if (end > until_) {
      return finish_over_steps(now, work);
    }
    count(work);
    return end;
  }
  // What the system would have counted until `now`: of the thread, and of its core.
  [[nodiscard]] lb::ThreadTimes thread_until(Seconds now) const;
  [[nodiscard]] lb::CoreUse core_until(Seconds now) const;
  [[nodiscard]] double speed() const { return speed_; }

 private:
  void set_share(const ShareStep& step);
  void count(Seconds work) {
    ran_ += work * ran_per_work_;
    ran_alone_ += work * alone_per_work_;
    waited_ += work * waited_per_work_;
  }
  Seconds finish_over_steps(Seconds now, Seconds work);

  double speed_;
  double seconds_per_work_ = 1.0;
  double ran_per_work_ = 1.0;
  double alone_per_work_ = 1.0;
  double waited_per_work_ = 0.0;
  Seconds until_ = 0.0;  // the share changes
  Seconds ran_ = 0.0;
  Seconds ran_alone_ = 0.0;  // while nobody else wanted the core
  Seconds waited_ = 0.0;     // for others, or for a new period of the quota
  std::vector<ShareStep> steps_;
  std::size_t next_ = 0;
};

}  // namespace weft::sim
