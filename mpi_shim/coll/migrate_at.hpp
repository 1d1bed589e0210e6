// Option --migrate-at: a balancing step at blocking collectives over all ranks, for programs that never call
// MPI_Migrate.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "mpi.h"

namespace weft::mpi_shim {
inline namespace coll {

enum class MigrationPoint : std::uint32_t {
  barrier = 1,
  allreduce = 2,
  bcast = 4,
  reduce = 8,
  allgather = 16,
  alltoall = 32
};

// The process's; written before any rank runs.
inline std::uint32_t enabled_migration_points = 0;

// Names as users write them: barrier, allreduce, … Throws std::invalid_argument, which lists those that there are.
std::uint32_t migration_points(std::span<const std::string> names);
std::uint32_t all_migration_points();

// No step unless the communicator, MPI_COMM_WORLD or any other, has all ranks of the job in one group.
void step_before(MPI_Comm comm, const char* call);

// First thing in the entry point: afterwards the rank may be in another process, so nothing looked up before is good.
inline void migrate_at(MigrationPoint point, MPI_Comm comm, const char* call) {
  if ((enabled_migration_points & static_cast<std::uint32_t>(point)) != 0) [[unlikely]] {
    step_before(comm, call);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
