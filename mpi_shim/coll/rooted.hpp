// What MPI_Gather(v) and MPI_Scatter(v) share: checks, the barrier with the root, the call by messages.
#pragma once

#include "mpi_shim/coll/rooted_call.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Checks the call and fills in `rooted`. MPI_SUCCESS or the error raised.
int check_rooted(const Entry& entry, const RootedCall& call, CheckedRooted& rooted);

// The checked call by messages, on any communicator.
class CollectiveSteps;
void run_rooted(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted);

// MPI_Igather(v), MPI_Iscatter(v) and their persistent forms.
class CallWithRequest;
int begin_rooted(const CallWithRequest& request_call, const RootedCall& call);

// Checks the call and waits at a barrier with the other members. Then `side` is the root's, valid until the next
// barrier. It stays null if the whole call is done, as on an intercommunicator or one that spans processes. MPI_SUCCESS
// or the error raised.
int rooted_barrier(const Entry& entry, const RootedCall& call, CheckedRooted& rooted, RootSide*& side);

// Records the checked call in the job's timeline; see trace_collective().
void note_collective(const Entry& entry, const RootedCall& call, const CheckedRooted& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
