// Prepares the folders of --otf2 and --record. All functions throw std::runtime_error with one line.
#pragma once

#include <string>

#include "launch/launch.hpp"

namespace weft::launch {

// Makes the folder of the job's trace. Throws where there is a trace in it already.
void prepare_archive(const std::string& folder);
// Makes the folder of a recording. Throws where it exists and is not empty.
void prepare_recording(const std::string& folder);
// Sets job.record to the absolute path: every process then finds the folder, also after ranks have changed the working
// directory. Process 0 has prepared the folder. A host that does not see it gets a folder of the same name for its
// parts.
void set_recording_folder(const LaunchConfig& config, runtime::JobConfig& job);

}  // namespace weft::launch
