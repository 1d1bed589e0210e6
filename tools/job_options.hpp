// What of weftrun's options each process of the job goes by.
#pragma once

#include "base/options.hpp"
#include "launch/launch_config.hpp"

namespace weft::tools {

// Without the programs, the job's other processes, and what only weftrun's own processes are told. Throws OptionError
// for what is no value, and for options that contradict each other.
launch::LaunchConfig launch_config(const base::OptionValues& values);

}  // namespace weft::tools
