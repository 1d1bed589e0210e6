// A queue of workers that can take more work, the one with the most room first.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

namespace weft::lb {

// Room is the work that a worker can take before it reaches a limit. Each worker is in the queue at most once.
class Receivers {
 public:
  struct Receiver {
    double room;
    std::uint32_t worker;
  };
  void add(std::uint32_t worker, double room) {
    if (room > 0.0) {
      queue_.push({room, worker});
    }
  }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] Receiver top() const { return queue_.top(); }
  void pop() { queue_.pop(); }
  void clear() { queue_ = {}; }

 private:
  struct Less {
    bool operator()(const Receiver& a, const Receiver& b) const {
      return a.room != b.room ? a.room < b.room : a.worker > b.worker;  // ties go to the lowest worker
    }
  };
  std::priority_queue<Receiver, std::vector<Receiver>, Less> queue_;
};

}  // namespace weft::lb
