#include "sim/traffic.hpp"

#include <algorithm>
#include <utility>

namespace weft::sim {

std::vector<lb::Edge> Traffic::take() {
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
