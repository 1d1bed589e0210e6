// Writes messages for the user with a time limit, so that a process can end although nobody reads its output.
#pragma once

#include <chrono>
#include <string_view>

namespace weft::base {

// Writes the text to the descriptor and gives up after `timeout`. Control characters other than line ends and tabs are
// written as \xNN, since a message may quote a file or an argument. Allocates nothing; a signal handler may call it.
void say(std::string_view text, int fd = 2, std::chrono::milliseconds timeout = std::chrono::milliseconds(2000));

}  // namespace weft::base
