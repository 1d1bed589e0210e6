#include "launch/default_migration_points.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "mpi_shim/coll/migrate_at.hpp"
#include "runtime/lbstep/checkpoint_files.hpp"

namespace weft::launch {

void enable_default_migration_points(const LaunchConfig& config, const image::Program& program, bool prints_note) {
  constexpr std::array kCalls{"MPI_Migrate", "AMPI_Migrate", "mpi_migrate_", "ampi_migrate_", "MPI_MemCheckpoint"};
  const auto is_called = [&](const char* name) { return program.calls(name); };
  if (!config.job.survive || !config.migrate_at.empty() || std::ranges::any_of(kCalls, is_called)) {
    return;
  }
  mpi_shim::enabled_migration_points = mpi_shim::all_migration_points();
  const bool is_resumed = runtime::CheckpointFiles::are_in_memory(config.job.restart);
  if (prints_note && !config.quiet && !is_resumed) {
    std::fputs(
        "weftrun: --survive: the program does not call MPI_Migrate: images are written before blocking collectives "
        "over all ranks (--migrate-at says at which)\n",
        stderr);
  }
}

}  // namespace weft::launch
