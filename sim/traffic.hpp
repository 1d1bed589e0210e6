// Who sent how much to whom, for strategies that look at messages.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::sim {

class Traffic {
 public:
  // `senders`: how many ranks have supersteps of their own; 0: nobody looks at these.
  explicit Traffic(std::size_t senders) : of_superstep_(senders) {}

  void count(std::uint32_t channel, const lb::Edge& message);
  // Since the last call, by sender and receiver: each pair once.
  std::vector<lb::Edge> take();
  // What the rank has sent since the last call for it.
  std::vector<lb::Edge> take_superstep(std::uint32_t sender);

 private:
  std::vector<lb::Edge> channels_;
  std::vector<std::vector<lb::Edge>> of_superstep_;  // by sender
};

}  // namespace weft::sim
