// Copies of communicators, for the program and for the MPI layer itself.
#pragma once

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// Collective over `comm`; suspends in a job of several processes. Returns a communicator of the same members with a
// context and a handle of its own, without attributes and hints.
Communicator& duplicate(RankState& me, Communicator& comm);

// MPI_Comm_dup, with the handle unchecked. `hints`: the copy's; null if the call sets none.
int duplicate_with_hints(const Entry& entry, MPI_Comm comm, const Info* hints, MPI_Comm* newcomm);
// MPI_SUCCESS with the hints of an info argument, null for MPI_INFO_NULL, or the error raised.
int find_hints(const Entry& entry, MPI_Comm comm, MPI_Info info, const Info*& hints);

// Removes a communicator from the rank; its handle is stale afterwards. REQUIRES: its attributes have been deleted.
void remove_comm(RankState& me, Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim
