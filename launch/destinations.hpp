// Checks, before any rank runs, that the job can write to its files and folders: otherwise the error would come after
// hours of computing. All functions throw std::runtime_error with one line that names the option.
#pragma once

#include <string>

#include "runtime/setup/config.hpp"

namespace weft::launch {

// Makes the folder unless it exists, and creates and removes a file in it. `option` is the option's name with dashes.
void require_folder(const std::string& option, const std::string& folder);

// Tries the files and folders of --trace, --lb-report and --checkpoint. Files that exist keep their contents.
void require_destinations(const runtime::JobConfig& job);

}  // namespace weft::launch
