// Writes a line for the user from a process that may have to end, and gives up where nobody reads it.
#pragma once

#include <chrono>
#include <string_view>

namespace weft::base {

// Writes the text to a descriptor, as far as its reader takes it within so long; control characters in it but line ends
// and tabs as \xNN, since it may repeat what a file or an argument holds. Allocates nothing; may be called by a signal
// handler.
void say(std::string_view text, int fd = 2, std::chrono::milliseconds timeout = std::chrono::milliseconds(2000));

}  // namespace weft::base
