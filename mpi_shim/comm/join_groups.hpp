// Groups that make an intercommunicator through their leaders.
#pragma once

#include "mpi.h"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// How the leader of one group reaches the other's; the other members need not know.
struct Other {
  const Communicator* peer = nullptr;
  int leader = 0;  // in `peer`
  int tag = 0;
};

// Collective over `local` and over the other group's communicator: their intercommunicator.
MPI_Comm join_by_leaders(RankState& me, const Communicator& local, int leader, const Other& other);

// The same for groups that may be of different worlds: `other` is the other root's number in the job.
MPI_Comm join_in_job(RankState& me, const Communicator& local, int root, int other, int tag = 3 << 28);

// The calling rank's view of what all ranks of the job are members of; for messages between two of them.
Communicator universe_of(RankState& me);

}  // namespace comm
}  // namespace weft::mpi_shim
