// Counts the messages and bytes that a rank sends: in all, for tools that watch the job, and to each other rank, for
// strategies that consider communication.
#pragma once

#include <atomic>
#include <cstdint>
#include <unordered_map>

#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace p2p {

// What a rank has sent since it began. Written by its worker; any thread may read.
class SentCounts {
 public:
  void count(std::uint64_t more_bytes) {
    messages_.store(messages() + 1, std::memory_order_relaxed);
    bytes_.store(bytes() + more_bytes, std::memory_order_relaxed);
  }
  std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  void pup(pup::Puper& p) {
    std::uint64_t so_many = messages(), so_much = bytes();
    p | so_many | so_much;
    messages_.store(so_many, std::memory_order_relaxed);
    bytes_.store(so_much, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> messages_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
};

// Touched by the thread that runs the rank; read by others while the rank is suspended in a balancing step.
class Traffic {
 public:
  struct Sent {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  // Ranks from this number on are spawned ones, which strategies do not place.
  explicit Traffic(std::uint32_t first_spawned) : first_spawned_(first_spawned) {}

  void count(std::uint32_t to, std::uint64_t bytes) {
    if (to < first_spawned_) {
      Sent& sent = by_receiver_[to];
      ++sent.messages;
      sent.bytes += bytes;
    }
    ++total.messages;
    total.bytes += bytes;
  }
  const std::unordered_map<std::uint32_t, Sent>& by_receiver() const { return by_receiver_; }
  // A new period begins.
  void clear() { by_receiver_.clear(); }

  Sent total;  // of all periods

 private:
  std::uint32_t first_spawned_;
  std::unordered_map<std::uint32_t, Sent> by_receiver_;
};

}  // namespace p2p
}  // namespace weft::runtime
