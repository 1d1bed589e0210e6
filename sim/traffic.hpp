// Counts the messages between ranks, for strategies that use them.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::sim {

class Traffic {
 public:
  // `senders`: the number of ranks for which supersteps are counted; 0: they are not counted.
  explicit Traffic(std::size_t senders) : of_superstep_(senders) {}

  void count(std::uint32_t channel, const lb::Edge& message);
  // The messages since the last call, by sender and receiver: each pair once.
  std::vector<lb::Edge> take_edges();
  // The rank's messages since the last call for this rank.
  std::vector<lb::Edge> take_superstep(std::uint32_t sender);

 private:
  std::vector<lb::Edge> channels_;
  std::vector<std::vector<lb::Edge>> of_superstep_;  // by sender
};

}  // namespace weft::sim
