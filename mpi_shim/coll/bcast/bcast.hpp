// MPI_Bcast: the checked arguments.
#pragma once

#include "mpi_shim/coll/blocks.hpp"

namespace weft::mpi_shim {
inline namespace coll {

class CollectiveSteps;

// The checked call.
struct Bcast {
  Communicator* comm = nullptr;
  int root = 0;
  runtime::Buffer buffer;  // empty where the root is MPI_PROC_NULL
};

// MPI_SUCCESS or the error raised.
int check_bcast(const Entry& entry, const BufferArgument& argument, int root, MPI_Comm comm, Bcast& checked);
// The call by messages, on any communicator.
void run_bcast(CollectiveSteps& executor, const Bcast& checked);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const Bcast& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
