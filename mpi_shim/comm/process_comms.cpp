#include "mpi_shim/comm/process_comms.hpp"

#include <utility>

namespace weft::mpi_shim {
inline namespace comm {

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

// Whether the communicator is registered by number. Only a rank that is unpacked looks it up so.
bool is_registered(const runtime::Job& job, std::uint32_t context) {
  return job.may_pack_ranks() && context != kSelfContext;
}

}  // namespace

std::shared_ptr<const CommShared> ProcessComms::world(runtime::Job& job) {
  const std::lock_guard lock(mutex_);
  if (world_ == nullptr) {
    world_ = make_comm(job, std::make_shared<Context>(kWorldContext),
                       {.group = Group::range(0, static_cast<int>(job.rank_count()))});
  }
  return world_;
}

const std::shared_ptr<const CommShared>& ProcessComms::universe(const runtime::Job& job) {
  const std::lock_guard lock(mutex_);
  if (universe_ == nullptr) {
    auto shared = std::make_shared<CommShared>();
    shared->context = kUniverseContext;
    shared->group = Group::range(0, static_cast<int>(job.universe()));
    universe_ = std::move(shared);
  }
  return universe_;
}

std::shared_ptr<Context> ProcessComms::reclaim_context(const runtime::Job& job, std::uint32_t context) const {
  if (job.spans_processes() || context <= kUniverseContext) {
    return std::make_shared<Context>(context);
  }
  numbers_->claim(context);
  return std::make_shared<Context>(context, numbers_);
}

std::shared_ptr<Context> fresh_context(runtime::Job& job) {
  const auto& numbers = process_comms(job).numbers();
  return std::make_shared<Context>(numbers->take(job), numbers);
}

std::shared_ptr<const CommShared> make_comm(runtime::Job& job, std::shared_ptr<Context> lease,
                                            CommBlueprint blueprint) {
  auto shared = build(job, std::move(lease), std::move(blueprint));
  if (is_registered(job, shared->context)) {
    process_comms(job).registry().add({shared->context, shared->side}, shared);
    process_comms(job).failures().apply_to(job, *shared);
  }
  return shared;
}

std::shared_ptr<const CommShared> find_or_make_comm(runtime::Job& job, CommBlueprint blueprint) {
  if (!is_registered(job, blueprint.context)) {
    auto lease = std::make_shared<Context>(blueprint.context);
    return build(job, std::move(lease), std::move(blueprint));
  }
  return find_or_make_spawned(job, std::move(blueprint));
}

std::shared_ptr<const CommShared> make_comm_by_number(runtime::Job& job, CommBlueprint blueprint) {
  const CommRegistry::Key key{blueprint.context, blueprint.side};
  auto comm = find_or_make_comm(job, std::move(blueprint));
  // Members without a team communicate by messages, which need no shared state.
  if (comm->location_cache != nullptr && comm->location_cache->current().locality.team != nullptr) {
    process_comms(job).registry().keep_for_members(key, comm, comm->group->size());
  }
  return comm;
}

std::shared_ptr<const CommShared> find_or_make_spawned(runtime::Job& job, CommBlueprint blueprint) {
  ProcessComms& comms = process_comms(job);
  const CommRegistry::Key key{blueprint.context, blueprint.side};
  auto comm = comms.registry().find_or_make(key, [&](const CommShared* other_side) {
    auto lease = other_side != nullptr ? other_side->lease : comms.reclaim_context(job, key.context);
    return build(job, std::move(lease), std::move(blueprint));
  });
  comms.failures().apply_to(job, *comm);
  return comm;
}

}  // namespace comm
}  // namespace weft::mpi_shim
