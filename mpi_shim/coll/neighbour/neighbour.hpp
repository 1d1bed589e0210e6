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
  bool sends_one_block;  // every neighbour gets block 0
  BlockSide receive;
  MPI_Comm comm;
};

// The arguments of the five calls. MPI_Neighbor_alltoallw is neighbour_alltoallv() with sides of another shape.
NeighbourCall neighbour_allgather(const BufferArgument& own, const BufferArgument& all, MPI_Comm comm);
NeighbourCall neighbour_allgatherv(const BufferArgument& own, const BufferArgument& all, ArrayArgument counts,
                                   ArrayArgument displacements, MPI_Comm comm);
NeighbourCall neighbour_alltoall(const BufferArgument& blocks, const BufferArgument& places, MPI_Comm comm);
NeighbourCall neighbour_alltoallv(const BlockSide& blocks, const BlockSide& places, MPI_Comm comm);

// The checked call.
struct NeighbourExchange {
  Communicator* comm = nullptr;
  Neighbours neighbours;
  bool sends_one_block = false;
  SideBlocks blocks;
  SideBlocks places;
};

// MPI_SUCCESS or the error raised.
int check_neighbour_exchange(const Entry& entry, const NeighbourCall& call, NeighbourExchange& checked);
// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const NeighbourExchange& checked);
// The call by messages: one to and one from each neighbour.
void run_neighbour_exchange(CollectiveSteps& executor, const NeighbourExchange& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
