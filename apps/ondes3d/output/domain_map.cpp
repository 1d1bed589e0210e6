#include "output/domain_map.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "output/out_file.hpp"
#include "parallel/cost.hpp"

namespace ondes3d {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double beside(double value, double mean) { return mean > 0 ? value / mean : 1; }

std::vector<Cost> costs(const Grid& grid, const Decomposition& blocks) {
  std::vector<Cost> list;
  for (int rank = 0; rank < blocks.ranks(); ++rank) {
    list.push_back(cost_of(grid, blocks.own(rank)));
  }
  return list;
}

double mean_cost(const std::vector<Cost>& list) {
  std::vector<double> modelled;
  for (const Cost& cost : list) {
    modelled.push_back(cost.modelled);
  }
  return mean(modelled);
}

}  // namespace

std::string domain_map(const Grid& grid, const Decomposition& blocks) {
  const auto list = costs(grid, blocks);
  const double usual = mean_cost(list);
  std::string text =
      format("%6s %34s %10s %10s %12s %6s\n", "rank", "x y z cells", "cells", "in CPML", "modelled cost", "/mean");
  for (int rank = 0; rank < blocks.ranks(); ++rank) {
    const Box own = blocks.own(rank);
    const Cost& cost = list[static_cast<std::size_t>(rank)];
    text += format("%6d %5d..%-4d %5d..%-4d %5d..%-4d %10zu %10zu %12.0f %6.2f\n", rank, own.lo[0], own.hi[0] - 1,
                   own.lo[1], own.hi[1] - 1, own.lo[2], own.hi[2] - 1, cost.cells, cost.absorbing, cost.modelled,
                   beside(cost.modelled, usual));
  }
  return text;
}

std::string measured_map(const Grid& grid, const Decomposition& blocks, const LoadTable& load) {
  const auto list = costs(grid, blocks);
  const double usual = mean_cost(list);
  std::vector<double> seconds;
  for (const auto& kernels : load.by_rank) {
    seconds.push_back(std::accumulate(kernels.begin(), kernels.end(), 0.0));
  }
  std::string text = format("%6s %14s %6s %12s %6s\n", "rank", "modelled cost", "/mean", "CPU seconds", "/mean");
  for (std::size_t rank = 0; rank < seconds.size(); ++rank) {
    text += format("%6zu %14.0f %6.2f %12.3f %6.2f\n", rank, list[rank].modelled, beside(list[rank].modelled, usual),
                   seconds[rank], beside(seconds[rank], mean(seconds)));
  }
  return text;
}

std::string load_in_time(const Grid& grid, const LoadTable& load) {
  std::string text = format("%-24s %9s %9s %9s\n", "load in the course of it", "mean", "max/mean", "slowest");
  for (std::size_t window = 0; window < kWindows; ++window) {
    std::vector<double> seconds;
    for (const auto& windows : load.by_window) {
      seconds.push_back(windows[window]);
    }
    const auto most = std::max_element(seconds.begin(), seconds.end());
    const auto end = [&](std::size_t n) { return static_cast<double>(first_step(n, grid.steps)) * grid.timestep; };
    text += format("  %7.2f .. %-7.2f s    %9.3f %9.2f  rank %td\n", end(window), end(window + 1), mean(seconds),
                   beside(*most, mean(seconds)), most - seconds.begin());
  }
  return text;
}

}  // namespace ondes3d
