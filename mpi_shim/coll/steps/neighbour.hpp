// Steps of MPI_Neighbor_allgather(v) and MPI_Neighbor_alltoall(v, w).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/coll/steps/executor.hpp"

namespace weft::mpi_shim::steps {

// A member's neighbours, in the order of the call's blocks. A negative number: no neighbour there.
struct NeighbourLists {
  std::span<const int> sources;
  std::span<const int> destinations;
  // A Cartesian grid: two neighbours in each dimension, down and up. What one sends down, the other gets from above.
  bool is_grid = false;
};

// `block(i)` is sent to destination i, and `place(i)` receives from source i.
template <Executor E, typename BlockOf, typename PlaceOf>
void neighbour_linear(E& executor, const typename E::Members& members, const NeighbourLists& neighbours,
                      const BlockOf& block, const PlaceOf& place) {
  std::vector<std::size_t> messages;
  for (std::size_t i = 0; i < neighbours.sources.size(); ++i) {
    if (neighbours.sources[i] >= 0) {
      messages.push_back(executor.start_receive(members, neighbours.sources[i], place(i)));
    }
  }
  // A neighbour may be the same member on both sides, or the member itself. So messages are sent in the order in which
  // they are received; messages between two members do not overtake each other.
  for (std::size_t i = 0; i < neighbours.destinations.size(); ++i) {
    const std::size_t to = neighbours.is_grid ? i ^ 1U : i;
    if (neighbours.destinations[to] >= 0) {
      messages.push_back(executor.start_send(members, neighbours.destinations[to], block(to)));
    }
  }
  executor.wait_all(messages);
}

}  // namespace weft::mpi_shim::steps
