// Prepares descriptors 0 to 2 before a process opens anything else.
#pragma once

#include <string>

namespace weft::bootstrap {

// Opens /dev/null for each of descriptors 0 to 2 that is closed, for example because cron or a daemon started the
// program. Otherwise the next opened descriptor, such as the launcher's socket, would become the ranks' standard input
// or output. Call it first in main. Throws std::runtime_error.
void fill_standard_descriptors();

// Identifies standard input: equal in two processes of a host that read the same one. Empty where nothing can be read
// (/dev/null).
std::string input_identity();

}  // namespace weft::bootstrap
