// What a run says before and after its time loop.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "parallel/decomposition.hpp"
#include "parallel/load.hpp"

namespace ondes3d {

// Grid, time step, rock, source and decomposition, a line each.
[[nodiscard]] std::string describe(const Case& c, const Decomposition& columns, std::size_t bytes_per_value);

// Time, speed, load per rank and per worker, and where the results are.
struct Outcome {
  double seconds = 0;
  std::size_t bytes_per_value = 4;
  double looking = 0;  // part of `seconds` that planes and files for ParaView took, slowest rank
  double memory = 0;   // bytes, of the largest process
  LoadTable load;
  std::string folder;
  std::vector<std::string> files;  // in the folder
};
[[nodiscard]] std::string summarize(const Case& c, const Outcome& outcome);

}  // namespace ondes3d
