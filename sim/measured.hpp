// What a recorded run itself was like, in the form of a simulated one: to compare it with simulations.
#pragma once

#include <string>

#include "sim/platform.hpp"
#include "sim/replay.hpp"

namespace weft::sim {

struct MeasuredRun {
  ReplayResult result;  // without actions, events and steps
  Platform platform;    // its workers and hosts, all of speed 1; links mean nothing
};

// Of a recording's folder. The makespan is from the first rank's first event to the last one's last. A worker's load in
// an iteration is what the balancer charged to the ranks that called MPI_Migrate on it; it has been busy for its loads,
// and for what ranks computed after their last such call, without the time in MPI calls. Throws WorkloadError or
// trace::Error, in one line.
MeasuredRun measured_run(const std::string& folder);

}  // namespace weft::sim
