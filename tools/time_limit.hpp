// Reads weftrun's time limits: for the job, and for its time without progress before that is reported.
#pragma once

#include <cstdint>
#include <optional>

#include "base/options.hpp"

namespace weft::tools {

// Seconds, rounded up; 0: no limit. From --timeout, else from MPIEXEC_TIMEOUT, which scripts for other launchers set.
// Throws OptionError.
std::uint32_t time_limit(const base::OptionValues& values);

// The time of --stall in seconds; none: stalls are not reported. Throws OptionError.
std::optional<double> stall_limit(const base::OptionValues& values);

}  // namespace weft::tools
