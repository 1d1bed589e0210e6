// Migration points of a program without MPI_Migrate, at which --survive writes its images.
#pragma once

#include "launch/launch_config.hpp"
#include "runtime/image/program.hpp"

namespace weft::launch {

// For a job with --survive and without --migrate-at: if the program does not call MPI_Migrate, enables all migration
// points that --migrate-at knows. Prints a line about that if `prints_note`. Call it before any rank runs.
void enable_default_migration_points(const LaunchConfig& config, const image::Program& program, bool prints_note);

}  // namespace weft::launch
