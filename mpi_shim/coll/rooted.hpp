// What MPI_Gather(v) and MPI_Scatter(v) have in common: checks, the barrier with the root, the call by messages.
#pragma once

#include "mpi_shim/coll/rooted_call.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Checks the call and fills in what it says. MPI_SUCCESS or the error raised.
int check_rooted(const Entry& entry, const RootedCall& call, Rooted& rooted);

// The checked call by messages, on any communicator.
class CollectiveSteps;
void run_rooted(CollectiveSteps& executor, const RootedCall& call, const Rooted& rooted);

// MPI_Igather(v), MPI_Iscatter(v) and their persistent forms.
class Begin;
int begin_rooted(const Begin& begin, const RootedCall& call);

// Checks the call and waits at a barrier with the other members. Then `side` is the root's, which may be used until the
// next barrier; it stays null where nothing is left to do, as on an intercommunicator or one that spans processes.
// MPI_SUCCESS, or the error raised.
int rooted_barrier(const Entry& entry, const RootedCall& call, Rooted& rooted, RootSide*& side);

// Records the checked call in the job's timeline; see trace_collective().
[[gnu::cold]] void note_collective(const Entry& entry, const RootedCall& call, const Rooted& checked);

}  // namespace coll
}  // namespace weft::mpi_shim
