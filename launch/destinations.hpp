// Where a job writes to, tried before any rank runs, so that no hours of computing end with a file that cannot be made.
// All throw std::runtime_error with one line that names the option.
#pragma once

#include <string>

#include "runtime/setup/config.hpp"

namespace weft::launch {

// Makes the folder unless it is there, and a file in it, which goes again. `option` is its name with dashes.
void require_folder(const std::string& option, const std::string& folder);

// The files and folders of --trace, --lb-report and --checkpoint. What is in a file that is there stays.
void require_destinations(const runtime::JobConfig& job);

}  // namespace weft::launch
