// From a recording (weftrun --record DIR) to a workload.
#pragma once

#include <string>

#include "sim/recorded_rank.hpp"

namespace weft::sim {

struct CompileOptions {
  bool recorded_loads = false;  // balancing steps go by the loads that were charged in the recorded run
};

struct Compiled {
  Workload workload;
  RecordedCounts counts;
};

// What ranks have computed are values of their lists; receives with wildcards stand where the message came from. Throws
// WorkloadError, in one line, for what cannot be replayed, and trace::Error where the folder holds no whole recording.
Compiled compile_recording(const std::string& folder, const CompileOptions& options = {});

// What a user is told of it, a line for each thing.
std::string compile_summary(const Compiled& compiled);

// Of a recording's folder, or of a file of actions. Throws as compile_recording() and read_actions().
Workload read_workload(const std::string& path);

}  // namespace weft::sim
