// Fits what MPI costs after computing (ColdCost) to a recorded run, so that its replay takes as long as the run itself.
// The factor then serves for predictions of other settings of the same program.
#pragma once

#include <functional>
#include <string>

#include "sim/platform.hpp"
#include "sim/platform_change.hpp"

namespace weft::sim {

struct ColdFit {
  double factor = 1.0;        // of all costs in Platform::cold_caches; 1 if it is not determined
  bool is_determined = true;  // false: no factor within the limits makes the replay as long as the run
  Seconds recorded = 0.0;     // makespan of the run
  Seconds before = 0.0;       // that of its replay on the platform as it is
  Seconds after = 0.0;        // and with the factor
};

constexpr double kLeastColdFactor = 0.1;
constexpr double kMostColdFactor = 20.0;
constexpr unsigned kMostFitReplays = 16;

// Replays the recording on as many hosts, processes and workers as it was made on, which the platform must have or
// allow to be changed (PlatformChange); `replayed` is told how many replays are done. Throws WorkloadError or
// trace::Error, one line, if the folder holds no recording that can be replayed, or one of a run with balancing, and
// PlatformError if the platform has no cold_caches or no such shape.
ColdFit fit_cold_caches(const std::string& recording, const PlatformFile& platform,
                        const std::function<void(unsigned done)>& replayed);

// The text of a platform file with this factor on its cold_caches. REQUIRES: `text` is that of a valid platform.
std::string with_cold_factor(const std::string& text, double factor);

}  // namespace weft::sim
