// Converts a recording (weftrun --record DIR) to a workload.
#pragma once

#include <string>

#include "sim/recorded_rank.hpp"

namespace weft::sim {

struct CompileOptions {
  bool recorded_loads = false;  // balancing steps use the loads that were charged in the recorded run
};

struct Compiled {
  Workload workload;
  RecordedCounts counts;
};

// The ranks' computing times become values of their lists. A wildcard receive becomes a receive from the rank whose
// message it got. Throws WorkloadError, one line, for what cannot be replayed, and trace::Error if the folder does not
// hold a complete recording.
Compiled compile_recording(const std::string& folder, const CompileOptions& options = {});

// A summary for the user, several lines.
std::string compile_summary(const Compiled& compiled);

// Reads a recording's folder or a file of actions. Throws what compile_recording() and read_actions() throw.
Workload read_workload(const std::string& path);

}  // namespace weft::sim
