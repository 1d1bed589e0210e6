// The folders of --otf2 and --record. Throw std::runtime_error with one line.
#pragma once

#include <string>

#include "launch/launch.hpp"

namespace weft::launch {

// A folder for the job's trace, in which there is none yet.
void prepare_archive(const std::string& folder);
// A new folder for a recording, or an empty one.
void prepare_recording(const std::string& folder);
// The folder as every process finds it, also after ranks have changed the working directory. Process 0 has prepared it;
// where a host does not see that one, its parts go to a folder of the same name there.
void find_recording(const LaunchConfig& config, runtime::JobConfig& job);

}  // namespace weft::launch
