// The arguments of MPI_Reduce, MPI_Allreduce, MPI_Scan and MPI_Exscan, and the checks that all reductions share.
#pragma once

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// A call as its caller passed it.
struct ReduceCall {
  const void* sendbuf;
  void* recvbuf;
  MPI_Count count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

// The checks return MPI_SUCCESS or the error raised.

// Looks up datatype and operation, checks them and the count, and fills in the fields from `type` on. With MPI_IN_PLACE
// as `buffer.address` the input is the output.
int prepare_reduction(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, MPI_Op op,
                      Reduction& reduction);
// The same for a call in which each member gets a result, with the other fields of `checked`. REQUIRES: checked.comm is
// set.
int prepare_reduction_to_each(const Entry& entry, Collective kind, Outcome outcome, const ReduceCall& call,
                              CheckedReduction& checked);

// Checks recvbuf at a member that gets a result. REQUIRES: `reduction` is prepared.
int check_recvbuf(const Entry& entry, const ReduceCall& call, const Reduction& reduction);
// Checks that sendbuf and recvbuf differ, unless nothing is sent.
int check_not_aliased(const Entry& entry, const ReduceCall& call, const Datatype& type);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const CheckedReduction& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
