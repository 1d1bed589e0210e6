// MPI_Reduce, MPI_Allreduce, MPI_Scan, MPI_Exscan, MPI_Reduce_scatter(_block): the checked arguments.
#pragma once

#include "mpi_shim/coll/reduce/reduction.hpp"

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

// The result is split into blocks: of `each` items for every member, or of counts[i] for member i.
struct ReduceScatterCall {
  Collective kind;
  const void* sendbuf;
  void* recvbuf;
  MPI_Count each;
  ArrayArgument counts;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

// MPI_SUCCESS or the error raised. REQUIRES: `outcome` gives each member a result.
int check_reduce_to_each(const Entry& entry, Collective kind, Outcome outcome, const ReduceCall& call,
                         CheckedReduction& checked);
int check_reduce_to_root(const Entry& entry, const ReduceCall& call, int root, CheckedReduction& checked);
int check_reduce_scatter(const Entry& entry, const ReduceScatterCall& call, CheckedReduction& checked);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const CheckedReduction& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
