#include "mpi_shim/comm/membership.hpp"

#include <utility>

#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/error/errhandler.hpp"

namespace weft::mpi_shim {
inline namespace comm {

std::unique_ptr<RankState> new_rank_state(runtime::Rank& rank, std::shared_ptr<const CommShared> world) {
  auto self = make_comm(rank.job, std::make_shared<Context>(kSelfContext),
                        {.group = Group::range(static_cast<int>(number(rank.id)), 1)});
  return std::make_unique<RankState>(rank, std::move(world), std::move(self));
}

std::unique_ptr<Communicator> new_comm_view(RankState& me, const Communicator& parent) {
  auto comm = std::make_unique<Communicator>();
  comm->errhandler = hold_errhandler(me, parent.errhandler);
  comm->session = parent.session;
  return comm;
}

Communicator& register_comm(RankState& me, std::unique_ptr<Communicator> comm) {
  comm->rank = comm->shared->group->rank_of(me.job_rank);
  join_team(*me.rank, *comm);
  Communicator& placed = *comm;
  placed.handle = me.comms.add<MPI_Comm>(std::move(comm));
  return placed;
}

Communicator& add_comm(RankState& me, std::shared_ptr<const CommShared> shared, const Communicator& parent) {
  std::unique_ptr<Communicator> comm = new_comm_view(me, parent);
  comm->shared = std::move(shared);
  return register_comm(me, std::move(comm));
}

void leave_comm(RankState& me, Communicator& comm) {
  release_errhandler(me, comm.errhandler);
  leave_team(*me.rank, comm);
}

void pup_communicator(pup::Puper& p, runtime::Rank& owner, Communicator& comm) {
  CommBlueprint blueprint;
  if (!p.unpacking()) {
    const CommShared& shared = *comm.shared;
    blueprint = {shared.context, shared.group, shared.remote, shared.topology, shared.side};
  }
  p | comm | blueprint;
  if (p.unpacking()) {
    comm.shared = find_or_make_comm(owner.job, std::move(blueprint));
    join_team(owner, comm);
  }
}

}  // namespace comm
}  // namespace weft::mpi_shim
