#include "mpi_shim/dynamic/origin.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

std::shared_ptr<const CommShared> parents_side(runtime::Job& job, const Origin& origin,
                                               std::shared_ptr<const Group> parents, std::vector<int> children) {
  return find_or_make_spawned(
      job, {.context = origin.parent_context, .group = std::move(parents), .remote = Group::list(std::move(children))});
}

std::unique_ptr<RankState> make_spawned(runtime::Rank& rank) {
  const runtime::World& world = *rank.world;
  Origin origin;
  pup::unpack(world.upper_layer_data, origin);
  const auto group = Group::list({world.ranks.begin(), world.ranks.end()});
  auto state = new_rank_state(rank, find_or_make_spawned(rank.job, {.context = origin.world_context, .group = group}));
  Communicator& parents =
      adopt(*state,
            find_or_make_spawned(
                rank.job,
                {.context = origin.parent_context, .group = group, .remote = Group::list(origin.parents), .side = 1}),
            state->world);
  parents.name = "MPI_COMM_PARENT";
  state->parent = parents.handle;
  state->application = static_cast<int>(world.application_of(rank.place));
  return state;
}

}  // namespace dynamic
}  // namespace weft::mpi_shim
