// Coarser ratios from a fine workload: ranks become groups, each of which is one rank of the result.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// A grid of ranks in up to three dimensions that is cut into blocks of equal size.
struct RankGrid {
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  std::array<std::uint32_t, 3> blocks{1, 1, 1};  // ranks of a block in each direction
  bool last_fastest = false;  // ranks are numbered as MPI_Cart_create does, else the first is fastest
};

// By rank, its group; groups are numbered as ranks are. Throws std::invalid_argument where blocks do not fit.
std::vector<std::uint32_t> groups_of(const RankGrid& grid);
// From a file with the group of each rank, separated by blanks. Throws std::invalid_argument, in one line.
std::vector<std::uint32_t> read_groups(const std::string& file);

// Work of a group's ranks is added, messages within a group vanish, and those of one step from a group to another
// become one. Steps are counted by what ranks receive from other groups, see step_clock.hpp. Throws WorkloadError where
// ranks disagree, std::invalid_argument where groups are none of this workload's.
Workload aggregate(const Workload& fine, const std::vector<std::uint32_t>& groups);

// How far the work of an aggregated workload is from that of a real run with as many ranks. Fractions.
struct AdditivityError {
  double total = 0.0;  // of all work together; above 0: the aggregated one has more
  double rank = 0.0;   // of the rank that is furthest off, over the mean work of a rank
  double rms = 0.0;    // root mean square over ranks and calls of MPI_Migrate, over the mean; over ranks where the
                       // numbers of calls differ
};
// Throws std::invalid_argument where they differ in their ranks.
AdditivityError additivity_error(const Workload& aggregated, const Workload& real);

}  // namespace weft::sim
