// Timers whose times may change: the earliest first; of those with the same time, the one with the lowest number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// A binary heap that tracks the position of each timer, so that a timer can be moved or removed. Timers are numbered
// from 0 on.
class TimerQueue {
 public:
  static constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

  [[nodiscard]] Seconds earliest() const {
    if (heap_.empty()) {
      return kNever;
    }
    return heap_.front().due;
  }
  // REQUIRES: earliest() is not kNever.
  [[nodiscard]] std::uint32_t first() const { return heap_.front().timer; }

  // Sets the timer, in place of its earlier time; kNever removes it.
  void set(std::uint32_t timer, Seconds due) {
    if (timer >= positions_.size()) {
      positions_.resize(timer + std::size_t{1}, kNotSet);
    }
    if (due == kNever) {
      return remove(timer);
    }
    if (positions_[timer] == kNotSet) {
      heap_.emplace_back();
      return rise(heap_.size() - 1, {due, timer});
    }
    move(positions_[timer], {due, timer});
  }

 private:
  static constexpr std::size_t kNotSet = std::numeric_limits<std::size_t>::max();

  struct Entry {
    Seconds due = 0.0;
    std::uint32_t timer = 0;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.due < b.due || (a.due == b.due && a.timer < b.timer);
    }
  };

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    positions_[entry.timer] = at;
  }

  // Replaces the entry at position `at`.
  void move(std::size_t at, const Entry& entry) {
    const bool rises = at > 0 && entry < heap_[(at - 1) / 2];
    rises ? rise(at, entry) : sink(at, entry);
  }

  void rise(std::size_t at, const Entry& entry) {
    for (; at > 0 && entry < heap_[(at - 1) / 2]; at = (at - 1) / 2) {
      put(at, heap_[(at - 1) / 2]);
    }
    put(at, entry);
  }

  void sink(std::size_t at, const Entry& entry) {
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      child += child + 1 < heap_.size() && heap_[child + 1] < heap_[child] ? 1 : 0;
      if (!(heap_[child] < entry)) {
        break;
      }
      put(at, heap_[child]);
      at = child;
    }
    put(at, entry);
  }

  void remove(std::uint32_t timer) {
    const std::size_t at = std::exchange(positions_[timer], kNotSet);
    if (at == kNotSet) {
      return;
    }
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) {
      move(at, last);
    }
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> positions_;  // in the heap, by timer
};

}  // namespace weft::sim
