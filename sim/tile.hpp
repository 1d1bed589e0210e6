// A larger job made of a recorded one whose ranks form a grid: its ranks do what recorded ones do, with more or less
// work and longer or shorter messages. All of it is assumed, nothing of it has been measured.
#pragma once

#include <array>
#include <cstdint>

#include "sim/actions.hpp"

namespace weft::sim {

struct TileOptions {
  std::array<std::uint32_t, 3> fine{1, 1, 1};     // the recorded ranks, numbered with the first direction fastest
  std::array<std::uint32_t, 3> extents{1, 1, 1};  // the ranks to make
  double work = 1.0;                              // factors: of computing,
  double bytes = 1.0;                             // of messages,
  double rank_bytes = 1.0;                        // and of what a rank takes along when it moves
  // How far each rank's work between two calls of MPI_Migrate is from the mean of all ranks, as a multiple of how far
  // it was. Work stays at least a twentieth of the mean.
  double contrast = 1.0;
};

// The main loop alone: from the first call of MPI_Migrate to the last. Ranks at an end of the grid do what those at
// that end do, so that borders stay one rank wide; those between are stretched over the recorded ones between. Ranks
// that do the same share their values. Messages of two ranks meet in their order, whatever their tags. Collective calls
// of all ranks stay as they are, with the bytes recorded. Throws std::invalid_argument for grids that do not fit, and
// WorkloadError where the main loop has messages to other ranks than neighbours in the grid, or collective calls of
// some ranks, of differing blocks or with another root than rank 0.
Workload tile(const Workload& fine, const TileOptions& options);

}  // namespace weft::sim
