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

// Bits of MigrationPoint, for this process; written before any rank runs.
inline std::uint32_t enabled_migration_points = 0;

// Bits of the points that users name: barrier, allreduce, … Throws std::invalid_argument, which lists the valid names.
std::uint32_t migration_points(std::span<const std::string> names);
std::uint32_t all_migration_points();

// A balancing step before the call. Does nothing unless `comm` is an intracommunicator of the same ranks as
// MPI_COMM_WORLD, and the rank may move now.
void step_before(MPI_Comm comm, const char* call);

// Must come first in the entry point: the rank may be in another process afterwards, where no earlier look-up is valid.
inline void migrate_at(MigrationPoint point, MPI_Comm comm, const char* call) {
  if ((enabled_migration_points & static_cast<std::uint32_t>(point)) != 0) [[unlikely]] {
    step_before(comm, call);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
