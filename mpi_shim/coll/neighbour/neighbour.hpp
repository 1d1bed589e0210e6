// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w): the checked arguments.
#pragma once

#include "mpi_shim/coll/sides.hpp"
#include "mpi_shim/topology/comm_topology.hpp"

namespace weft::mpi_shim {
inline namespace coll {

class CollectiveSteps;

// A call as its caller passed it.
struct NeighbourCall {
  BlockSide send;
  bool one_for_all;  // block 0 goes to every neighbour
  BlockSide receive;
  MPI_Comm comm;
};

// The five calls, of which Neighbor_alltoallw is Neighbor_alltoallv of another shape; counts and displacements of the
// large-count forms are wide.
NeighbourCall neighbour_allgather(const BufferArgument& own, const BufferArgument& all, MPI_Comm comm);
NeighbourCall neighbour_allgatherv(const BufferArgument& own, const BufferArgument& all, Numbers counts,
                                   Numbers displacements, MPI_Comm comm);
NeighbourCall neighbour_alltoall(const BufferArgument& blocks, const BufferArgument& places, MPI_Comm comm);
NeighbourCall neighbour_alltoallv(const BlockSide& blocks, const BlockSide& places, MPI_Comm comm);

// The checked call.
struct NeighbourExchange {
  Communicator* comm = nullptr;
  Neighbours with;
  bool one_for_all = false;
  SideBlocks blocks;
  SideBlocks places;
};

// MPI_SUCCESS or the error raised.
int check_neighbour_exchange(const Entry& entry, const NeighbourCall& call, NeighbourExchange& checked);
// Tells the job's timeline of the checked call; see trace_collective().
[[gnu::cold]] void note_collective(const Entry& entry, const NeighbourExchange& checked);
// A message to and from each neighbour.
void run_neighbour_exchange(CollectiveSteps& executor, const NeighbourExchange& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
