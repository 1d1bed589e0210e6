// Texts of others on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace weft::base {

// The text with \xNN for each control character but line ends and tabs, also for those of UTF-8's second block: what a
// file or an argument holds moves no cursor and changes no colour where a message repeats it.
std::string printable(std::string_view text);

}  // namespace weft::base
