#include "mpi_shim/comm/communicator.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/state/client.hpp"
#include "mpi_shim/state/state.hpp"
#include "mpi_shim/topology/topology.hpp"

namespace weft::mpi_shim {

namespace {

std::shared_ptr<const CommShared> build(runtime::Job& job, std::shared_ptr<Context> lease, CommBlueprint blueprint) {
  auto shared = std::make_shared<CommShared>();
  shared->context = lease->number();
  shared->lease = std::move(lease);
  shared->group = std::move(blueprint.group);
  shared->remote = std::move(blueprint.remote);
  shared->topology = std::move(blueprint.topology);
  shared->side = blueprint.side;
  if (!job.spans_processes()) {
    shared->team = make_team(job, *shared->group);
    shared->locality = locality_of(shared->team.get(), shared->remote != nullptr);
  } else if (shared->group->size() > 1 || shared->remote != nullptr) {
    shared->location_cache = std::make_unique<LocationCache>(job, shared->group, shared->remote);
  }
  return shared;
}

// Nobody looks for a communicator where ranks are never packed.
bool is_registered(const runtime::Job& job, std::uint32_t context) {
  return job.may_pack_ranks() && context != kSelfContext;
}

}  // namespace

const Locality& Communicator::look_up_locality() const {
  LocationCache& cache = *shared->location_cache;
  if (!seen_.looked || seen_.placement != cache.job().placement()) [[unlikely]] {
    seen_ = cache.look();
  }
  return seen_.locality;
}

std::shared_ptr<const CommShared> make_comm(runtime::Job& job, std::shared_ptr<Context> lease,
                                            CommBlueprint blueprint) {
  auto shared = build(job, std::move(lease), std::move(blueprint));
  if (is_registered(job, shared->context)) {
    client_of(job).registry().add({shared->context, shared->side}, shared);
  }
  return shared;
}

std::shared_ptr<const CommShared> find_or_make_comm(runtime::Job& job, CommBlueprint blueprint) {
  if (!is_registered(job, blueprint.context)) {
    return build(job, std::make_shared<Context>(blueprint.context), std::move(blueprint));
  }
  return find_or_make_spawned(job, std::move(blueprint));
}

std::shared_ptr<const CommShared> find_or_make_spawned(runtime::Job& job, CommBlueprint blueprint) {
  Client& client = client_of(job);
  const CommRegistry::Key key{blueprint.context, blueprint.side};
  return client.registry().find_or_make(key, [&](const CommShared* other_side) {
    auto lease = other_side != nullptr ? other_side->lease : client.lease_again(job, key.context);
    return build(job, std::move(lease), std::move(blueprint));
  });
}

std::unique_ptr<Communicator> heir_of(RankState& me, const Communicator& parent) {
  auto comm = std::make_unique<Communicator>();
  comm->errhandler = hold_errhandler(me, parent.errhandler);
  comm->session = parent.session;
  return comm;
}

Communicator& enlist(RankState& me, std::unique_ptr<Communicator> comm) {
  comm->rank = comm->shared->group->number_of(me.job_rank);
  join_team(*me.rank, *comm);
  Communicator& placed = *comm;
  placed.handle = me.comms.add<MPI_Comm>(std::move(comm));
  return placed;
}

Communicator& adopt(RankState& me, std::shared_ptr<const CommShared> shared, const Communicator& parent) {
  std::unique_ptr<Communicator> comm = heir_of(me, parent);
  comm->shared = std::move(shared);
  return enlist(me, std::move(comm));
}

void abandon(RankState& me, Communicator& comm) {
  release_errhandler(me, comm.errhandler);
  leave_team(*me.rank, comm);
}

void join_team(runtime::Rank& rank, const Communicator& comm) {
  if (comm.shared->team != nullptr) {
    rank.teams.push_back(comm.shared->team.get());
  }
}

void leave_team(runtime::Rank& rank, const Communicator& comm) {
  std::vector<runtime::Team*>& teams = rank.teams;
  if (const auto place = std::find(teams.begin(), teams.end(), comm.shared->team.get()); place != teams.end()) {
    *place = teams.back();
    teams.pop_back();
  }
}

std::string describe(const Communicator& comm) {
  return comm.name.empty() ? fmt::format("a communicator of {} ranks", comm.size()) : comm.name;
}

}  // namespace weft::mpi_shim
