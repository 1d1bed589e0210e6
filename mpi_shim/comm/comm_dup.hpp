// Copies of communicators, for the program and for the layer itself.
#pragma once

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// Collective over `comm`, suspends where members live in several processes: the same members under a context of its
// own, without attributes and hints. It has a handle.
Communicator& duplicate(RankState& me, Communicator& comm);

// MPI_Comm_dup, of whatever the program has given as a communicator; `hints` is null where the copy has the original's.
int duplicate_with_hints(const Entry& entry, MPI_Comm comm, const Info* hints, MPI_Comm* newcomm);
// MPI_SUCCESS with the hints of an info argument, null for MPI_INFO_NULL, or the error raised.
int find_hints(const Entry& entry, MPI_Comm comm, MPI_Info info, const Info*& hints);

// The end of a communicator whose attributes are gone; its handle is stale then.
void end_comm(RankState& me, Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim
