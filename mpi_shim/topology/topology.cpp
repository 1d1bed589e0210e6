#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {
inline namespace topology {

std::span<const int> graph_neighbours(const Topology& graph, int rank) {
  const auto node = static_cast<std::size_t>(rank);
  const int first = node == 0 ? 0 : graph.index[node - 1];
  return std::span(graph.edges)
      .subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(graph.index[node] - first));
}

std::vector<int> cart_coordinates(const Topology& grid, int rank) {
  std::vector<int> coordinates(grid.dims.size());
  for (std::size_t d = grid.dims.size(); d-- > 0;) {
    coordinates[d] = rank % grid.dims[d];
    rank /= grid.dims[d];
  }
  return coordinates;
}

int cart_rank(const Topology& grid, const std::vector<int>& coordinates) {
  int rank = 0;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    int at = coordinates[d];
    if (at < 0 || at >= grid.dims[d]) {
      if (grid.periods[d] == 0) {
        return MPI_PROC_NULL;
      }
      at = (at % grid.dims[d] + grid.dims[d]) % grid.dims[d];
    }
    rank = rank * grid.dims[d] + at;
  }
  return rank;
}

}  // namespace topology
}  // namespace weft::mpi_shim
