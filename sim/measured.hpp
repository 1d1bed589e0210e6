// The measured result of a recorded run, in the form of a simulated one, to compare it with simulations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/platform.hpp"
#include "sim/replay.hpp"

namespace weft::sim {

struct MeasuredRun {
  ReplayResult result;                   // without actions, events and steps
  Platform platform;                     // workers and hosts, all of speed 1; links have no meaning
  std::vector<std::uint32_t> placement;  // by rank, its worker at the start
};

// Reads a recording's folder. The makespan is the time from the first event of any rank to the last. A worker's load in
// an iteration is what the balancer charged to the ranks that called MPI_Migrate on it. Its busy time is the sum of its
// loads and of what ranks computed after their last such call, without the time in MPI calls. Throws WorkloadError or
// trace::Error, one line.
MeasuredRun measured_run(const std::string& folder);

}  // namespace weft::sim
