// Things that are due at times which change: the earliest first, and of those due at one time the one with the least
// number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// A binary heap that knows where each thing stands in it. Things have numbers from 0 on.
class Deadlines {
 public:
  static constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

  [[nodiscard]] Seconds earliest() const {
    if (heap_.empty()) {
      return kNever;
    }
    return heap_.front().due;
  }
  // REQUIRES: earliest() is not kNever.
  [[nodiscard]] std::uint32_t first() const { return heap_.front().thing; }

  // The thing is due then, and no more when it was due before; kNever: not at all.
  void set(std::uint32_t thing, Seconds due) {
    if (thing >= places_.size()) {
      places_.resize(thing + std::size_t{1}, kNowhere);
    }
    if (due == kNever) {
      return remove(thing);
    }
    if (places_[thing] == kNowhere) {
      heap_.emplace_back();
      return rise(heap_.size() - 1, {due, thing});
    }
    move(places_[thing], {due, thing});
  }

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  struct Entry {
    Seconds due = 0.0;
    std::uint32_t thing = 0;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.due < b.due || (a.due == b.due && a.thing < b.thing);
    }
  };

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    places_[entry.thing] = at;
  }

  // `entry` takes the place of what stands at `at`.
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

  void remove(std::uint32_t thing) {
    const std::size_t at = std::exchange(places_[thing], kNowhere);
    if (at == kNowhere) {
      return;
    }
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) {
      move(at, last);
    }
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> places_;  // by thing
};

}  // namespace weft::sim
