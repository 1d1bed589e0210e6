// What a process does about descriptors 0 to 2 before it opens anything else.
#pragma once

#include <string>

namespace weft::bootstrap {

// Opens /dev/null for each of them that is closed, as for a program that cron or a daemon starts. Else the next
// descriptor that is opened, such as the launcher's socket, would be the ranks' standard input or output.
// Call it first in main. Throws std::runtime_error.
void fill_standard_descriptors();

// Equal in two processes of a host that read the same standard input; empty where nothing can be read (/dev/null).
std::string input_identity();

}  // namespace weft::bootstrap
