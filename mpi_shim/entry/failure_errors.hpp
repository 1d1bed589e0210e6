// With --survive api: the errors of calls that cannot go on because a process has died or a communicator is revoked.
#pragma once

#include "mpi_shim/entry/entry.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// Leaves a call by messages whose answers steer it, such as those that make communicators. Caught by the entry point,
// which raises the error after that: an error handler may suspend the rank, which must not happen while an exception is
// being handled.
struct CallFailed {
  runtime::Failure why;
};

// MPIX_ERR_PROC_FAILED, MPIX_ERR_REVOKED or, of a request that is still there, MPIX_ERR_PROC_FAILED_PENDING.
int error_class_of(runtime::Failure failure);

// Raises that of a call that is over; the error code.
[[gnu::noinline, gnu::cold]] int raise_failure(const Entry& entry, MPI_Comm comm, runtime::Failure failure);

// What would wait for members that have died is refused: the error raised, or MPI_SUCCESS. `what`: "windows".
int refuse_if_survives(const Entry& entry, const Communicator& comm, const char* what);

// Runs a call of that kind.
template <typename Call>
int run_failing(const Entry& entry, MPI_Comm comm, Call&& call) {
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
