// Who sent how much to whom, for strategies that look at messages.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::sim {

class Traffic {
 public:
  void count(std::uint32_t channel, std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
    if (channel >= channels_.size()) {
      channels_.resize(channel + std::size_t{1});
    }
    lb::Edge& edge = channels_[channel];
    edge.from = from;
    edge.to = to;
    edge.messages += 1;
    edge.bytes += bytes;
  }
  // Since the last call, by sender and receiver: each pair once.
  std::vector<lb::Edge> take();

 private:
  std::vector<lb::Edge> channels_;
};

}  // namespace weft::sim
