// MPI_Allgather(v): the checked arguments.
#pragma once

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

class CollectiveSteps;

// A call as its caller passed it.
struct AllgatherCall {
  Collective kind;
  BufferArgument own;
  BufferArgument all;
  ArrayArgument counts;
  ArrayArgument displacements;
  MPI_Comm comm;
};

// The checked call.
struct Allgather {
  Communicator* comm = nullptr;
  bool in_place = false;  // the member's own block is in its place already
  runtime::Buffer own;
  Blocks places;
};

// MPI_SUCCESS or the error raised.
int check_allgather(const Entry& entry, const AllgatherCall& call, Allgather& checked);
// The call by messages, on any communicator.
void run_allgather(CollectiveSteps& executor, const Allgather& checked);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const Allgather& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
