#include "mpi_shim/coll/migrate_at.hpp"

#include <array>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/sched/thread_calls.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

constexpr std::array kPointNames{
    std::pair{"barrier", MigrationPoint::barrier},     std::pair{"allreduce", MigrationPoint::allreduce},
    std::pair{"bcast", MigrationPoint::bcast},         std::pair{"reduce", MigrationPoint::reduce},
    std::pair{"allgather", MigrationPoint::allgather}, std::pair{"alltoall", MigrationPoint::alltoall}};

MigrationPoint migration_point(std::string_view name) {
  std::string all;
  for (const auto& [known, point] : kPointNames) {
    if (name == known) {
      return point;
    }
    all += fmt::format("{}{}", all.empty() ? "" : ", ", known);
  }
  throw std::invalid_argument(fmt::format("--migrate-at: '{}' is none of {}", name, all));
}

}  // namespace

std::uint32_t migration_points(std::span<const std::string> names) {
  std::uint32_t points = 0;
  for (const std::string& name : names) {
    points |= static_cast<std::uint32_t>(migration_point(name));
  }
  return points;
}

std::uint32_t all_migration_points() {
  std::uint32_t points = 0;
  for (const auto& [name, point] : kPointNames) {
    points |= static_cast<std::uint32_t>(point);
  }
  return points;
}

void step_before(MPI_Comm comm, const char* call) {
  RankState& me = rank_state(call);
  // Without MPI_Init the call itself reports the error. Inside a callback of MPI a rank cannot move.
  if (!me.active || me.callbacks != 0 || runtime::is_thread_call()) {
    return;
  }
  const Communicator* const over = find_comm(me, comm);
  // By members: with spawned ranks, a communicator of as many ranks as MPI_COMM_WORLD may lack some of those.
  if (over != nullptr && !over->is_inter() && compare(*over->shared->group, *me.world.shared->group) != MPI_UNEQUAL) {
    me.rank->call = call;
    complete_collectives(me);
    me.rank->job.migrate(*me.rank);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
