#include "mpi_shim/dynamic/parent_info.hpp"

#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"

namespace weft::mpi_shim {
inline namespace dynamic {

std::shared_ptr<const CommShared> parents_side(runtime::Job& job, const ParentInfo& parent_info,
                                               std::shared_ptr<const Group> parents, std::vector<int> children) {
  return find_or_make_spawned(
      job,
      {.context = parent_info.parent_context, .group = std::move(parents), .remote = Group::list(std::move(children))});
}

std::unique_ptr<RankState> make_spawned(runtime::Rank& rank) {
  const runtime::World& world = *rank.world;
  ParentInfo parent_info;
  pup::unpack(world.upper_layer_data, parent_info);
  const auto group = Group::list({world.ranks.begin(), world.ranks.end()});
  auto state =
      new_rank_state(rank, find_or_make_spawned(rank.job, {.context = parent_info.world_context, .group = group}));
  Communicator& parents = add_comm(*state,
                                   find_or_make_spawned(rank.job, {.context = parent_info.parent_context,
                                                                   .group = group,
                                                                   .remote = Group::list(parent_info.parents),
                                                                   .side = 1}),
                                   state->world);
  parents.name = "MPI_COMM_PARENT";
  state->parent = parents.handle;
  state->application = static_cast<int>(world.application_of(rank.rank_in_world));
  return state;
}

}  // namespace dynamic
}  // namespace weft::mpi_shim
