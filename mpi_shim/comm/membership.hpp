// A rank becomes a member of a communicator, and leaves it.
#pragma once

#include <memory>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The state of a rank of this world, with MPI_COMM_WORLD and MPI_COMM_SELF.
std::unique_ptr<RankState> new_rank_state(runtime::Rank& rank, std::shared_ptr<const CommShared> world);

// The calling rank's view of a communicator that it is a member of, with a handle. The error handler is `parent`'s.
Communicator& adopt(RankState& me, std::shared_ptr<const CommShared> shared, const Communicator& parent);
// The same in two steps: what the view has of `parent`, and, once it has its shared part, its handle.
std::unique_ptr<Communicator> heir_of(RankState& me, const Communicator& parent);
Communicator& enlist(RankState& me, std::unique_ptr<Communicator> comm);

// The end of a rank's view: gives up its error handler and its place in the team; attributes must be gone.
void abandon(RankState& me, Communicator& comm);

// On a move to another process: the view, and the shared part by its blueprint. Unpacked, it is in the team.
void pup_communicator(pup::Puper& p, runtime::Rank& owner, Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim
