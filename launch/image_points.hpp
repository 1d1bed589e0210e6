// Where a program without MPI_Migrate lets images for --survive be written.
#pragma once

#include "launch/launch_config.hpp"
#include "runtime/image/program.hpp"

namespace weft::launch {

// In a job with --survive and without --migrate-at: if the program does not call MPI_Migrate, all collectives that
// --migrate-at knows are balancing steps, which a line says where `says`. Before any rank runs.
void pick_image_points(const LaunchConfig& config, const image::Program& program, bool says);

}  // namespace weft::launch
