// When a worker has had no work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// The last times without work, at least kKept / 2 of them. Time that use() returns counts as work from then on.
class IdleTimes {
 public:
  // REQUIRES: not before the end of the last one.
  void add(Seconds from, Seconds until) {
    if (times_.size() >= kKept) {
      times_.erase(times_.begin(), times_.end() - kKept / 2);
    }
    times_.push_back({from, until});
  }

  // Uses up to `wanted` seconds between `from` and `until`, the first ones. Returns how many there were.
  Seconds use(Seconds from, Seconds until, Seconds wanted) {
    std::size_t i = times_.size();
    while (i > 0 && times_[i - 1].until > from) {
      --i;
    }
    Seconds used = 0.0;
    while (i < times_.size() && times_[i].from < until && used < wanted) {
      const Seconds begin = std::max(times_[i].from, from);
      const Seconds end = std::min({times_[i].until, until, begin + (wanted - used)});
      if (end <= begin) {
        break;  // what is still wanted is too short to change a time of this size
      }
      used += end - begin;
      i = remove(i, begin, end);
    }
    return used;
  }

 private:
  static constexpr std::size_t kKept = 32;
  struct Time {
    Seconds from = 0.0;
    Seconds until = 0.0;
  };

  // Removes a part of the i-th time. Returns the number of the time behind that part.
  std::size_t remove(std::size_t i, Seconds begin, Seconds end) {
    const auto at = times_.begin() + static_cast<std::ptrdiff_t>(i);
    const bool keeps_first = at->from < begin;
    const bool keeps_last = end < at->until;
    if (keeps_first && keeps_last) {
      const Time last{end, at->until};
      at->until = begin;
      times_.insert(at + 1, last);
    } else if (keeps_first) {
      at->until = begin;
    } else if (keeps_last) {
      at->from = end;
    } else {
      times_.erase(at);
    }
    return keeps_first ? i + 1 : i;
  }

  std::vector<Time> times_;  // in the order of time
};

}  // namespace weft::sim
