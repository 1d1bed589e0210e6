// Converts weftrun's options to the configuration of each process of the job.
#pragma once

#include "base/options.hpp"
#include "launch/launch_config.hpp"

namespace weft::tools {

// Does not set the programs, the connection with other processes, and what weftrun passes only to processes that it
// starts. Throws OptionError for invalid values, and for options that contradict each other.
launch::LaunchConfig launch_config(const base::OptionValues& values);

}  // namespace weft::tools
