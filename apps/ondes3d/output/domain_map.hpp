// Tables of the ranks: the cells of each, its modelled cost and its measured load.
#pragma once

#include <string>

#include "parallel/decomposition.hpp"
#include "parallel/load.hpp"

namespace ondes3d {

// A line per rank: its cells, how many of them an absorbing layer makes dearer, and its modelled cost beside the mean.
[[nodiscard]] std::string domain_map(const Grid& grid, const Decomposition& blocks);

// A line per rank: modelled cost and measured processor seconds, each beside the mean.
[[nodiscard]] std::string measured_map(const Grid& grid, const Decomposition& blocks, const LoadTable& load);

// How the load moved in the course of the run: for each window of time the slowest rank and max/mean.
[[nodiscard]] std::string load_in_time(const Grid& grid, const LoadTable& load);

}  // namespace ondes3d
