// Assigns the messages of a recording to channels.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/recorded_program.hpp"

namespace weft::sim {

// If a rank receives another rank's messages in the order in which they are sent, all of them form one channel, so that
// iterations look the same even if their tags differ. Otherwise each tag and communicator has a channel of its own.
class RecordedChannels {
 public:
  // Adds the rank's messages, in the order in which it posts them. REQUIRES: called for all ranks before join().
  void note(std::uint32_t rank, const RecordedProgram& program);
  // Returns the rank's channels and changes the program's actions to refer to them.
  [[nodiscard]] std::vector<Channel> join(std::uint32_t rank, RecordedProgram& program) const;

 private:
  struct MessageOrder {
    std::uint64_t messages = 0;
    std::uint64_t hash = 0;  // of tags and communicators
    friend bool operator==(const MessageOrder&, const MessageOrder&) = default;
  };
  struct Pair {
    MessageOrder sent;
    MessageOrder received;
  };
  [[nodiscard]] Channel channel_of(std::uint32_t rank, const RecordedChannel& recorded) const;

  std::unordered_map<std::uint64_t, Pair> pairs_;  // by sender, then receiver
};

}  // namespace weft::sim
