// Makes a larger job from a recorded one whose ranks form a grid: each new rank does what a recorded one does, with
// scaled work and message lengths. The result is an assumption, not a measurement.
#pragma once

#include <array>
#include <cstdint>

#include "sim/actions.hpp"

namespace weft::sim {

struct TileOptions {
  std::array<std::uint32_t, 3> fine{1, 1, 1};     // the recorded ranks, numbered with the first direction fastest
  std::array<std::uint32_t, 3> extents{1, 1, 1};  // the ranks to make
  double work = 1.0;                              // factors: for computing,
  double bytes = 1.0;                             // for the lengths of messages,
  double rank_bytes = 1.0;                        // and for the bytes to move a rank
  // Factor for the distance of each rank's work between two calls of MPI_Migrate from the mean of all ranks. Work stays
  // at least a twentieth of the mean.
  double contrast = 1.0;
};

// Contains the main loop only: from the first call of MPI_Migrate to the last. Ranks at an end of the grid do what the
// recorded ranks at that end do, so borders stay one rank wide; interior ranks are spread evenly over the recorded
// interior ones. Ranks with the same source share their values. Messages between two ranks match in the order of
// sending, whatever their tags. Collective calls of all ranks keep the recorded bytes. Throws std::invalid_argument for
// grids that do not fit. Throws WorkloadError if the main loop has messages to ranks that are not neighbours in the
// grid, or collective calls of some of the ranks, of differing blocks, or with a root other than rank 0.
Workload tile(const Workload& fine, const TileOptions& options);

}  // namespace weft::sim
