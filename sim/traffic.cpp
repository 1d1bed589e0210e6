#include "sim/traffic.hpp"

#include <algorithm>
#include <utility>

namespace weft::sim {

void Traffic::count(std::uint32_t channel, const lb::Edge& message) {
  if (channel >= channels_.size()) {
    channels_.resize(channel + std::size_t{1});
  }
  const auto add = [&](lb::Edge& edge) {
    edge.from = message.from;
    edge.to = message.to;
    edge.messages += message.messages;
    edge.bytes += message.bytes;
  };
  add(channels_[channel]);
  if (!of_superstep_.empty()) {
    std::vector<lb::Edge>& edges = of_superstep_[message.from];
    const auto found = std::ranges::find(edges, message.to, &lb::Edge::to);
    add(found != edges.end() ? *found : edges.emplace_back());
  }
}

std::vector<lb::Edge> Traffic::take_superstep(std::uint32_t sender) { return std::exchange(of_superstep_[sender], {}); }

std::vector<lb::Edge> Traffic::take_edges() {
  std::vector<lb::Edge> edges;
  for (lb::Edge& edge : channels_) {
    if (edge.messages != 0 && edge.from != edge.to) {
      edges.push_back(edge);
    }
    edge.messages = 0;
    edge.bytes = 0;
  }
  std::ranges::sort(edges, {}, [](const lb::Edge& edge) { return std::pair(edge.from, edge.to); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && edges[kept - 1].from == edges[i].from && edges[kept - 1].to == edges[i].to) {
      edges[kept - 1].messages += edges[i].messages;
      edges[kept - 1].bytes += edges[i].bytes;
    } else {
      edges[kept++] = edges[i];
    }
  }
  edges.resize(kept);
  return edges;
}

}  // namespace weft::sim
