// Calls with a request, without messages, in a job of one process. Each member leaves its arguments with a deferred
// collective. The last member to come combines for all, in the order that steps/tree.hpp describes, and completes the
// requests.
#pragma once

#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Whether the call is executed in this way; all members get the same answer. Persistent calls go by messages, and so do
// calls with a user's function, which may run on its own rank only.
bool is_deferred(const CallWithRequest& request_call, const Communicator& comm, Collective call, std::size_t bytes);
bool is_deferred(const CallWithRequest& request_call, const CheckedReduction& checked);

// Begins the call. If the members' arguments differ, the requests of all members end with MPI_ERR_ARG.
int begin_deferred_barrier(const CallWithRequest& request_call, Communicator& comm);
// REQUIRES: the outcome is at_all or scattered.
int begin_deferred_reduction(const CallWithRequest& request_call, const CheckedReduction& checked);
// An empty operation of this class, to unpack one into.
std::unique_ptr<Operation> make_deferred();

}  // namespace coll
}  // namespace weft::mpi_shim
