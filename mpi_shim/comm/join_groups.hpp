// Making an intercommunicator of two groups, through their leaders.
#pragma once

#include "mpi.h"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// How the leader of one group reaches the other group's leader. Used at the leader only.
struct RemoteLeader {
  const Communicator* peer = nullptr;
  int leader = 0;  // in `peer`
  int tag = 0;
};

// Collective over `local` and over the other group's communicator; suspends. Returns their intercommunicator.
MPI_Comm join_by_leaders(RankState& me, const Communicator& local, int leader, const RemoteLeader& other);

// The same for groups that may be of different worlds. `other` is the other root's rank in the job, `tag` that of the
// roots' messages in the universe's context.
MPI_Comm join_in_job(RankState& me, const Communicator& local, int root, int other, int tag = 3 << 28);

// The calling rank's view of a communicator of all ranks of the job, for messages between any two of them.
Communicator universe_of(RankState& me);

}  // namespace comm
}  // namespace weft::mpi_shim
