// A graph's vertices in parts of given sizes with little between them: what METIS does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::lb {

// Undirected: each edge is in the lists of both its ends, once in each.
struct Graph {
  std::vector<std::int32_t> first;       // by vertex and the end: where its edges begin in the two below
  std::vector<std::int32_t> neighbours;  // vertices
  std::vector<std::int32_t> weights;     // of edges, above 0
  std::vector<std::int32_t> work;        // by vertex, above 0; their sum fits too
};

// By vertex: its part. Part p gets the share shares[p] of all work, or up to `tolerance` times that. Shares add up to
// 1. The same in every call. REQUIRES: at least two parts and more vertices than parts; one call at a time in a
// process. Throws std::runtime_error where METIS gives up.
std::vector<std::uint32_t> partition(const Graph& graph, std::span<const float> shares, float tolerance);

}  // namespace weft::lb
