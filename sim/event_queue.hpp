// The events of a simulated run, ordered by time; events of the same time in the order in which they were added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

enum class SimEventKind : std::uint32_t {
  wake,           // what a rank waits for has happened
  retry,          // a worker's rank reached a wait at a time that the simulation had not reached: it tries again
  enter_out,      // a message is at its out port
  enter_in,       // its first byte is at its in port
  end_flows,      // the last byte of a flow leaves, unless flows have become slower
  update_rates,   // flows began or ended: their rates are computed again
  advance_calls,  // a request has completed for a rank that waits while it has pending collective calls
};

struct Event {
  Seconds time = 0.0;
  std::uint64_t sequence = 0;
  SimEventKind kind = SimEventKind::wake;
  std::uint32_t target = 0;  // a rank, a worker or a message
};

// A heap with four children to a node: half the levels of a binary one, and a node's children lie in two cache lines.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] Seconds next_time() const { return events_.front().time; }

  // The next event, followed by the candidates for the one after it. For prefetching.
  [[nodiscard]] std::span<const Event> next() const {
    return std::span(events_).first(std::min(events_.size(), kChildren + 1));
  }

  void add(Seconds time, SimEventKind kind, std::uint32_t target) {
    const Event event{time, sequence_++, kind, target};
    std::size_t at = events_.size();
    events_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / kChildren;
      if (!before(event, events_[parent])) {
        break;
      }
      events_[at] = events_[parent];
      at = parent;
    }
    events_[at] = event;
  }

  // REQUIRES: not empty.
  Event pop() {
    const Event first = events_.front();
    const Event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) {
      sink(last);
    }
    return first;
  }

  // Number of events added so far.
  [[nodiscard]] std::uint64_t added() const { return sequence_; }

 private:
  static constexpr std::size_t kChildren = 4;

  static bool before(const Event& a, const Event& b) {
    return a.time < b.time || (a.time == b.time && a.sequence < b.sequence);
  }

  void sink(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t at = 0;
    for (std::size_t child = 1; child < size; child = kChildren * at + 1) {
      std::size_t least = child;
      const std::size_t end = child + kChildren < size ? child + kChildren : size;
      for (std::size_t other = child + 1; other < end; ++other) {
        least = before(events_[other], events_[least]) ? other : least;
      }
      if (!before(events_[least], event)) {
        break;
      }
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = event;
  }

  std::vector<Event> events_;
  std::uint64_t sequence_ = 0;
};

}  // namespace weft::sim
