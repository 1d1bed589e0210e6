#include "sim/core_share.hpp"

#include <algorithm>

namespace weft::sim {

Seconds CoreShare::finish_over_steps(Seconds now, Seconds work) {
  while (true) {
    while (next_ < steps_.size() && steps_[next_].from <= now) {
      const double share = steps_[next_++].share;
      set_share(share);
    }
    const Seconds end = now + work * seconds_per_work_;
    if (end <= until_) {
      return end;
    }
    work -= (until_ - now) / seconds_per_work_;
    now = until_;
  }
}

Seconds CoreShare::contended_until(Seconds now) {
  Seconds contended = 0.0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Seconds from = std::max(asked_, steps_[i].from);
    const Seconds until = i + 1 < steps_.size() ? std::min(now, steps_[i + 1].from) : now;
    contended += until > from ? (until - from) * (1.0 - steps_[i].share) : 0.0;
  }
  asked_ = std::max(asked_, now);
  return contended;
}

}  // namespace weft::sim
