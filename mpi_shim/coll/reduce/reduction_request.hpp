// What non-blocking and persistent reductions share: MPI_Ireduce, MPI_Allreduce_init and their like.
#pragma once

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Begins a reduction of any outcome, or records a persistent one. `check` is the call's own check: it fills in a
// CheckedReduction, and returns MPI_SUCCESS or the error raised, as this does.
template <typename Check>
int reduce_with_request(const CallWithRequest& request_call, MPI_Comm comm, Check&& check) {
  CheckedReduction checked;
  int error = request_call.check(comm);
  if (error == MPI_SUCCESS) {
    error = check(checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return is_deferred(request_call, checked) ? begin_deferred_reduction(request_call, checked)
                                            : request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) {
                                                run_reduction(executor, checked);
                                              });
}

}  // namespace coll
}  // namespace weft::mpi_shim
