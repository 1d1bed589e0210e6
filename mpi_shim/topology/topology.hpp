// Virtual topologies: Cartesian grids, graphs and distributed graphs.
#pragma once

#include <span>
#include <vector>

#include "mpi.h"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace topology {

// The part of a topology that all members share. Constant after construction.
struct Topology {
  int kind = MPI_UNDEFINED;  // MPI_CART, MPI_GRAPH or MPI_DIST_GRAPH
  std::vector<int> dims;     // Cartesian: extents, slowest first
  std::vector<int> periods;  // Cartesian: 1 where the dimension is periodic
  std::vector<int> index;    // graph: index[i] is the number of neighbours of nodes 0 … i
  std::vector<int> edges;    // graph: the neighbours of node 0, then those of node 1, …

  void pup(pup::Puper& p) { p | kind | dims | periods | index | edges; }
};

// One rank's edges in a distributed graph, in the order in which MPI_Dist_graph_neighbors gives them.
struct Neighbourhood {
  std::vector<int> sources, destinations;
  std::vector<int> source_weights, destination_weights;  // meaningful only if weighted
  bool weighted = false;

  void pup(pup::Puper& p) { p | sources | destinations | source_weights | destination_weights | weighted; }
};

// The coordinates of a rank in a grid, and the rank at coordinates. Coordinates outside the range wrap in periodic
// dimensions, and give MPI_PROC_NULL in others.
std::vector<int> cart_coordinates(const Topology& grid, int rank);
int cart_rank(const Topology& grid, const std::vector<int>& coordinates);

// The neighbours of a node of a graph.
std::span<const int> graph_neighbours(const Topology& graph, int rank);

}  // namespace topology
}  // namespace weft::mpi_shim
