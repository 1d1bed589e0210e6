// How a rank becomes a member of a communicator, and leaves it.
#pragma once

#include <memory>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The state of a rank whose MPI_COMM_WORLD is `world`. Makes the rank's MPI_COMM_SELF.
std::unique_ptr<RankState> new_rank_state(runtime::Rank& rank, std::shared_ptr<const CommShared> world);

// Adds a communicator, of which the calling rank is a member, to the rank, with a handle. Inherits `parent`'s error
// handler and session.
Communicator& add_comm(RankState& me, std::shared_ptr<const CommShared> shared, const Communicator& parent);
// The same in two steps: makes the view with what it inherits; and, once its shared part is set, registers it with a
// handle.
std::unique_ptr<Communicator> new_comm_view(RankState& me, const Communicator& parent);
Communicator& register_comm(RankState& me, std::unique_ptr<Communicator> comm);

// Releases what a rank's view holds: its error handler and its place in the team. REQUIRES: its attributes have been
// deleted.
void leave_comm(RankState& me, Communicator& comm);

// Packs a communicator for a move to another process: the view, and the blueprint of the shared part. Unpacking also
// joins the team.
void pup_communicator(pup::Puper& p, runtime::Rank& owner, Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim
