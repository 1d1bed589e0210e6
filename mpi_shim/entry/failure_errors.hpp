// With --survive api: the errors of calls that cannot go on because a process has died or a communicator is revoked.
#pragma once

#include "mpi_shim/entry/entry.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// Thrown out of calls that cannot continue after a failed message, such as those that create communicators. The entry
// point catches it and raises the error after that: an error handler may suspend the rank, which must not happen while
// an exception is being handled.
struct CallFailed {
  runtime::Failure why;
};

// MPIX_ERR_PROC_FAILED, MPIX_ERR_REVOKED or, for a request that remains pending, MPIX_ERR_PROC_FAILED_PENDING.
int error_class_of(runtime::Failure failure);

// Raises the error of a call that has failed for good; returns the error code.
[[gnu::noinline, gnu::cold]] int raise_failure(const Entry& entry, MPI_Comm comm, runtime::Failure failure);

// With --survive api raises an error for objects that would wait for members that have died, if `comm` has more than
// one member. Returns the error or MPI_SUCCESS. `what` names the objects: "windows".
int refuse_if_fault_tolerant(const Entry& entry, const Communicator& comm, const char* what);

// Runs a call that may throw CallFailed, and raises the error.
template <typename Call>
int run_raising_failures(const Entry& entry, MPI_Comm comm, Call&& call) {
  runtime::Failure why = runtime::Failure::none;
  try {
    return call();
  } catch (const CallFailed& failed) {
    why = failed.why;
  }
  return raise_failure(entry, comm, why);
}

}  // namespace entry
}  // namespace weft::mpi_shim
