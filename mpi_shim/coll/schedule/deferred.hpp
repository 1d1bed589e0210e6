// Calls with a request whose members all live in this process, without messages: each leaves what it brings with a
// collective that waits in memory, deferred until the last member comes, who combines, in the same tree, and wakes the
// others.
#pragma once

#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/coll/schedule/begin.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Whether the call does: the same at all members. Persistent calls go by messages, and those with a user's function,
// which runs on its own rank alone.
bool is_deferred(const Begin& begin, const Communicator& comm, Collective call, std::size_t bytes);
bool is_deferred(const Begin& begin, const CheckedReduction& checked);

// Begins the call. Members whose arguments differ get MPI_ERR_ARG once it is complete.
int begin_deferred_barrier(const Begin& begin, Communicator& comm);
// With the outcome at_all or scattered.
int begin_deferred_reduction(const Begin& begin, const CheckedReduction& checked);
// Such a call to be unpacked.
std::unique_ptr<Operation> make_deferred();

}  // namespace coll
}  // namespace weft::mpi_shim
