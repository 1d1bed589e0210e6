// Adds the programs of ranks to a workload.
#pragma once

#include <vector>

#include "sim/recorded_program.hpp"

namespace weft::sim {

// Adds a stream for each program: finds loops, assigns channels, and shares templates between ranks with the same
// actions.
void add_streams(Workload& workload, std::vector<RecordedProgram> programs);

}  // namespace weft::sim
