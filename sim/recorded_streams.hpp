// Puts ranks' programs into a workload.
#pragma once

#include <vector>

#include "sim/recorded_program.hpp"

namespace weft::sim {

// Adds a stream for each program. Loops are found, channels are joined, and ranks that do alike share a template.
void add_streams(Workload& workload, std::vector<RecordedProgram> programs);

}  // namespace weft::sim
