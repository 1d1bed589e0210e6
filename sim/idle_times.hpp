// When a worker has had no work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sim/actions.hpp"

namespace weft::sim {

// The last kKept times without work. What has been used of one is no longer without work.
class IdleTimes {
 public:
  // REQUIRES: not before the end of the last one.
  void add(Seconds from, Seconds until) {
    times_.at(next_) = {from, until};
    next_ = (next_ + 1) % kKept;
  }

  // Uses up to `wanted` seconds between `from` and `until`, of each time the first ones. Returns how many there were.
  // What lies before the used ones in a time cannot be used any more.
  Seconds use(Seconds from, Seconds until, Seconds wanted) {
    Seconds used = 0.0;
    for (std::size_t i = 0; i < kKept && used < wanted; ++i) {
      Time& time = times_.at((next_ + i) % kKept);  // the oldest one first
      const Seconds begin = std::max(time.from, from);
      const Seconds part = std::min(std::min(time.until, until) - begin, wanted - used);
      if (part > 0.0) {
        used += part;
        time.from = begin + part;
      }
    }
    return used;
  }

 private:
  static constexpr std::size_t kKept = 8;
  struct Time {
    Seconds from = 0.0;
    Seconds until = 0.0;
  };
  std::array<Time, kKept> times_{};
  std::size_t next_ = 0;  // the place of the next one
};

}  // namespace weft::sim
