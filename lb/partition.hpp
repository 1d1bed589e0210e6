// Partitions a graph into parts of given sizes with a small edge cut, by METIS.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::lb {

// Undirected: each edge is once in the list of each of its ends.
struct Graph {
  std::vector<std::int32_t> first;       // by vertex: index of its first edge in the next two; then their size
  std::vector<std::int32_t> neighbours;  // vertices
  std::vector<std::int32_t> weights;     // of edges, above 0
  std::vector<std::int32_t> work;        // by vertex, above 0; the sum also fits into 32 bits
};

// Returns the part of each vertex. Part p gets the share shares[p] of all work, at most `tolerance` times that; shares
// add up to 1. The same input gives the same result. Any thread; calls exclude each other. REQUIRES: at least two
// parts, and more vertices than parts. Throws std::runtime_error if METIS fails.
std::vector<std::uint32_t> partition(const Graph& graph, std::span<const float> shares, float tolerance);

}  // namespace weft::lb
