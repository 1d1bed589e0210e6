// MPI_Alltoall(v, w): the checked arguments.
#pragma once

#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/sides.hpp"

namespace weft::mpi_shim {
inline namespace coll {

class CollectiveSteps;

// A call as its caller passed it.
struct AlltoallCall {
  Collective kind;
  BlockSide send;
  BlockSide receive;
  MPI_Comm comm;
};

// The checked call.
struct Alltoall {
  Communicator* comm = nullptr;
  bool in_place = false;  // the blocks to send lie in the receive buffer
  SideBlocks blocks;
  SideBlocks places;
};

// MPI_SUCCESS or the error raised.
int check_alltoall(const Entry& entry, const AlltoallCall& call, Alltoall& checked);
// The call by messages, on any communicator.
void run_alltoall(CollectiveSteps& executor, const Alltoall& checked);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const Alltoall& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
