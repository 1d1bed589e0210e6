// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w): the checked arguments.
#pragma once

#include "mpi_shim/coll/sides.hpp"
#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {

class CollectiveSteps;

// A call as its caller passed it.
struct NeighbourCall {
  Shape send_shape;
  BlockSide send;
  bool one_for_all;  // block 0 goes to every neighbour
  Shape receive_shape;
  BlockSide receive;
  MPI_Comm comm;
};

// The five calls; counts and displacements of the large-count forms are wide.
NeighbourCall neighbour_allgather(const Part& own, const Part& all, MPI_Comm comm);
NeighbourCall neighbour_allgatherv(const Part& own, const Part& all, Numbers counts, Numbers displacements,
                                   MPI_Comm comm);
NeighbourCall neighbour_alltoall(const Part& blocks, const Part& places, MPI_Comm comm);
NeighbourCall neighbour_alltoallv(const BlockSide& blocks, const BlockSide& places, MPI_Comm comm);
NeighbourCall neighbour_alltoallw(const BlockSide& blocks, const BlockSide& places, MPI_Comm comm);

// The checked call. Not to be copied: blocks and places use the types.
struct NeighbourExchange {
  NeighbourExchange() = default;
  NeighbourExchange(const NeighbourExchange&) = delete;
  NeighbourExchange& operator=(const NeighbourExchange&) = delete;

  Communicator* comm = nullptr;
  Neighbours with;
  bool one_for_all = false;
  Blocks blocks;
  Blocks places;
  Types send_types, receive_types;
};

// MPI_SUCCESS or the error raised.
int check_neighbour_exchange(const Entry& entry, const NeighbourCall& call, NeighbourExchange& checked);
// A message to and from each neighbour.
void run_neighbour_exchange(CollectiveSteps& executor, const NeighbourExchange& checked);

}  // namespace weft::mpi_shim
