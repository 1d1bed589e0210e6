#include "sim/core_share.hpp"

#include <algorithm>
#include <cmath>

namespace weft::sim {

void CoreShare::begin(const ShareStep& step) {
  const bool at_all_times = step.share == 1.0 || step.period == 0.0;
  step_ = step;
  seconds_per_work_ = 1.0 / (at_all_times ? speed_ * step.share : speed_);
  ran_per_work_ = 1.0 / speed_;
  alone_per_work_ = step.others ? 0.0 : ran_per_work_;
  waited_per_work_ = seconds_per_work_ - ran_per_work_;
  even_until_ = at_all_times ? next_step() : -std::numeric_limits<double>::infinity();
  left_ = at_all_times ? std::numeric_limits<double>::infinity() : step.share * step.period;
  period_end_ = at_all_times || !step.is_quota ? std::numeric_limits<double>::infinity() : step.from + step.period;
}

// The worker wants the core at `now`. Returns when it has the core, or when the next step begins if that is earlier.
Seconds CoreShare::wait_for_turn(Seconds now) {
  if (now >= period_end_) {
    period_end_ += (1.0 + std::floor((now - period_end_) / step_.period)) * step_.period;
    left_ = step_.share * step_.period;
  }
  if (left_ > 0.0) {
    return now;
  }
  const Seconds turn = step_.is_quota ? period_end_ : now + (1.0 - step_.share) * step_.period;
  const Seconds until = std::min(turn, next_step());
  waited_ += until - now;
  if (until == turn && !step_.is_quota) {
    left_ = step_.share * step_.period;
  }
  return until;
}

Seconds CoreShare::finish_by_pieces(Seconds now, Seconds work) {
  while (true) {
    while (next_step() <= now) {
      const ShareStep step = steps_[next_++];
      begin(step);
    }
    now = wait_for_turn(now);
    if (left_ <= 0.0 || next_step() <= now) {
      continue;
    }
    const Seconds end = now + work * seconds_per_work_;
    const Seconds until = std::min({now + left_, period_end_, next_step()});
    if (end <= until) {
      count(work);
      left_ -= end - now;
      return end;
    }
    const Seconds done = (until - now) / seconds_per_work_;
    count(done);
    left_ = until == now + left_ ? 0.0 : left_ - (until - now);
    work -= done;
    now = until;
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
