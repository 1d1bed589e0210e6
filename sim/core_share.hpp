// How long work takes on a core of some speed that others use at times.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

// One worker's core. Questions go forward in time.
class CoreShare {
 public:
  CoreShare(double speed, std::vector<ShareStep> steps) : speed_(speed), steps_(std::move(steps)) { set_share(1.0); }

  // When `work` seconds (at speed 1) are done that begin at `now`.
  Seconds finish(Seconds now, Seconds work) {
    const Seconds end = now + work * seconds_per_work_;
    return end <= until_ ? end : finish_over_steps(now, work);
  }
  // Seconds that others would have had of the core since the last call, if the worker had always had work.
  Seconds contended_until(Seconds now);
  [[nodiscard]] double speed() const { return speed_; }

 private:
  void set_share(double share) {
    seconds_per_work_ = 1.0 / (speed_ * share);
    until_ = next_ < steps_.size() ? steps_[next_].from : std::numeric_limits<double>::infinity();
  }
  Seconds finish_over_steps(Seconds now, Seconds work);

  double speed_;
  double seconds_per_work_ = 1.0;
  Seconds until_ = 0.0;  // the share changes
  std::vector<ShareStep> steps_;
  std::size_t next_ = 0;
  Seconds asked_ = 0.0;
};

}  // namespace weft::sim
