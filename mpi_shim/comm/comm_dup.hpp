// Copies of communicators for the layer itself.
#pragma once

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {

// Collective over `comm`, suspends where members live in several processes: the same members under a context of its
// own, without attributes and hints. It has a handle.
Communicator& duplicate(RankState& me, Communicator& comm);

// The end of a communicator whose attributes are gone; its handle is stale then.
void end_comm(RankState& me, Communicator& comm);

}  // namespace weft::mpi_shim
