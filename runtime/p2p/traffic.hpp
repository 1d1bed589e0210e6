// Counts the messages and bytes that a rank sends to each other rank, for strategies that look at communication.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace weft::runtime {
inline namespace p2p {

// The rank's own thread's; taken while the rank is suspended in a balancing step.
class Traffic {
 public:
  struct Sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  void count(std::uint32_t to, std::uint64_t bytes) {
    Sent& sent = by_receiver_[to];
    ++sent.messages;
    sent.bytes += bytes;
    ++total.messages;
    total.bytes += bytes;
  }
  const std::unordered_map<std::uint32_t, Sent>& by_receiver() const { return by_receiver_; }
  // The next period starts.
  void clear() { by_receiver_.clear(); }

  Sent total;  // of all periods

 private:
  std::unordered_map<std::uint32_t, Sent> by_receiver_;
};

}  // namespace p2p
}  // namespace weft::runtime
