// Joins the messages of a recording to channels.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/recorded_program.hpp"

namespace weft::sim {

// Where a rank receives from another one in the order in which that sends, all their messages are one channel, so that
// iterations look alike even if their tags differ. Elsewhere each tag and communicator has a channel of its own.
class RecordedChannels {
 public:
  // The rank's messages, in the order in which it posts them. All ranks come before the first join().
  void note(std::uint32_t rank, const RecordedProgram& program);
  // The rank's channels; its actions name them from now on.
  [[nodiscard]] std::vector<Channel> join(std::uint32_t rank, RecordedProgram& program) const;

 private:
  struct Order {
    std::uint64_t messages = 0;
    std::uint64_t hash = 0;  // of tags and communicators
    friend bool operator==(const Order&, const Order&) = default;
  };
  struct Pair {
    Order sent;
    Order received;
  };
  [[nodiscard]] Channel channel_of(std::uint32_t rank, const RecordedChannel& recorded) const;

  std::unordered_map<std::uint64_t, Pair> pairs_;  // by sender, then receiver
};

}  // namespace weft::sim
