// The rings that one process reads: one that all others write to, or one for each other process.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "runtime/net/ring.hpp"

namespace weft::net {

// As for RingReader: one thread at a time, except looks_empty() and empty().
class RingSet {
 public:
  explicit RingSet(std::span<const RingView> views) : first_(views.front()) {
    for (const RingView& view : views.subspan(1)) {
      more_.push_back(std::make_unique<RingReader>(view));
    }
  }

  bool looks_empty() const {
    return first_.looks_empty() &&
           std::all_of(more_.begin(), more_.end(), [](const auto& ring) { return ring->looks_empty(); });
  }
  // True when there is no record, not even an incomplete one. is_lost(i): the process that writes ring i is dead, so
  // its incomplete record does not count.
  template <typename IsLost>
  bool empty(IsLost&& is_lost) const {
    if (more_.empty()) [[likely]] {
      return first_.empty();
    }
    for (std::size_t i = 0; i <= more_.size(); ++i) {
      const RingReader& ring = i == 0 ? first_ : *more_[i - 1];
      if (is_lost(i) ? !ring.looks_empty() : !ring.empty()) {
        return false;
      }
    }
    return true;
  }
  // RingReader::read() of each ring. Calls made_room() when sleeping writers may go on.
  template <typename Take, typename MadeRoom>
  bool read(std::size_t most_bytes, const Take& take, const MadeRoom& made_room) {
    bool did = read_one(first_, most_bytes, take, made_room);
    for (const auto& ring : more_) {
      did = read_one(*ring, most_bytes, take, made_room) || did;
    }
    return did;
  }

 private:
  template <typename Take, typename MadeRoom>
  static bool read_one(RingReader& ring, std::size_t most_bytes, const Take& take, const MadeRoom& made_room) {
    const bool did = ring.read(most_bytes, take);
    if (did && ring.freed()) {
      made_room();
    }
    return did;
  }

  RingReader first_;
  std::vector<std::unique_ptr<RingReader>> more_;
};

}  // namespace weft::net
