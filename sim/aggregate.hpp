// Makes a workload with fewer ranks from one with many: each group of ranks becomes one rank of the result.
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
  bool last_fastest = false;  // the last coordinate varies fastest, as in MPI_Cart_create; else the first one
};

// The group of each rank; groups are numbered in the same order as ranks. Throws std::invalid_argument if blocks do not
// divide the grid.
std::vector<std::uint32_t> groups_of(const RankGrid& grid);
// Reads a file with the group of each rank, separated by blanks. Throws std::invalid_argument, one line.
std::vector<std::uint32_t> read_groups(const std::string& file);

// Adds up the work of a group's ranks, drops messages within a group, and merges the messages that one group sends to
// another in the same logical step (logical_steps.hpp). Throws WorkloadError if the ranks of a group differ in their
// calls, std::invalid_argument if the groups do not fit the workload.
Workload aggregate(const Workload& fine, const std::vector<std::uint32_t>& groups);

// Relative errors of the work of an aggregated workload against a real run with the same number of ranks.
struct AdditivityError {
  double total = 0.0;  // of all work together; above 0: the aggregated workload has more
  double rank = 0.0;   // largest error of a rank, divided by the mean work of a rank
  double rms = 0.0;    // root mean square over ranks and calls of MPI_Migrate, divided by the mean; over ranks alone
                       // where the numbers of calls differ
};
// Throws std::invalid_argument if the numbers of ranks differ.
AdditivityError additivity_error(const Workload& aggregated, const Workload& real);

}  // namespace weft::sim
