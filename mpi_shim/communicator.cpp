#include "mpi_shim/communicator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mpi_shim/errhandler.hpp"
#include "mpi_shim/state.hpp"
#include "mpi_shim/topology.hpp"

namespace weft::mpi_shim {

namespace {

std::unique_ptr<runtime::Team> make_team(runtime::Job& job, const Group& group) {
  if (group.size() < 2) {
    return nullptr;
  }
  std::vector<runtime::Rank*> members(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    members[static_cast<std::size_t>(i)] = &job.rank(static_cast<std::uint32_t>(group.world_rank(i)));
  }
  return std::make_unique<runtime::Team>(std::move(members), job.worker_count());
}

}  // namespace

std::shared_ptr<CommShared> make_comm(runtime::Job& job, std::shared_ptr<Context> lease,
                                      std::shared_ptr<const Group> group, std::shared_ptr<const Group> remote) {
  auto shared = std::make_shared<CommShared>();
  shared->context = lease->number();
  shared->lease = std::move(lease);
  shared->team = make_team(job, *group);
  shared->group = std::move(group);
  shared->remote = std::move(remote);
  return shared;
}

Communicator& adopt(RankState& me, std::shared_ptr<const CommShared> shared, const Communicator& parent) {
  auto comm = std::make_unique<Communicator>();
  comm->shared = std::move(shared);
  comm->rank = comm->shared->group->number_of(me.world.rank);
  comm->errhandler = hold_errhandler(me, parent.errhandler);
  if (comm->team() != nullptr) {
    me.rank->teams.push_back(comm->team());
  }
  Communicator& placed = *comm;
  placed.handle = me.comms.add<MPI_Comm>(std::move(comm));
  return placed;
}

void abandon(RankState& me, Communicator& comm) {
  release_errhandler(me, comm.errhandler);
  std::vector<runtime::Team*>& teams = me.rank->teams;
  if (const auto place = std::find(teams.begin(), teams.end(), comm.team()); place != teams.end()) {
    *place = teams.back();
    teams.pop_back();
  }
}

std::string describe(const Communicator& comm) {
  return comm.name.empty() ? fmt::format("a communicator of {} ranks", comm.size()) : comm.name;
}

}  // namespace weft::mpi_shim
