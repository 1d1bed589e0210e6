#include "sim/core_share.hpp"

#include <algorithm>

namespace weft::sim {

void CoreShare::set_share(const ShareStep& step) {
  seconds_per_work_ = 1.0 / (speed_ * step.share);
  ran_per_work_ = 1.0 / speed_;
  alone_per_work_ = step.others ? 0.0 : ran_per_work_;
  waited_per_work_ = seconds_per_work_ - ran_per_work_;
  until_ = next_ < steps_.size() ? steps_[next_].from : std::numeric_limits<double>::infinity();
}

Seconds CoreShare::finish_over_steps(Seconds now, Seconds work) {
  while (true) {
    while (next_ < steps_.size() && steps_[next_].from <= now) {
      const ShareStep step = steps_[next_++];
      set_share(step);
    }
    const Seconds end = now + work * seconds_per_work_;
    if (end <= until_) {
      count(work);
      return end;
    }
    const Seconds done = (until_ - now) / seconds_per_work_;
    count(done);
    work -= done;
    now = until_;
  }
}

lb::ThreadTimes CoreShare::thread_until(Seconds now) const {
  return {.at = now, .ran = ran_, .slept = std::max(0.0, now - ran_ - waited_), .waited = waited_};
}

lb::CoreUse CoreShare::core_until(Seconds now) const {
  Seconds alone = steps_.empty() ? now : std::min(now, steps_.front().from);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Seconds until = i + 1 < steps_.size() ? std::min(now, steps_[i + 1].from) : now;
    alone += steps_[i].others ? 0.0 : std::max(0.0, until - steps_[i].from);
  }
  return {.idle = std::max(0.0, alone - ran_alone_)};
}

}  // namespace weft::sim
