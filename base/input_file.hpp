// Checks files that the user names and a program reads.
#pragma once

#include <string>

namespace weft::base {

// Why the file cannot be read: "FILE: cannot be read: No such file or directory". Empty if it is a readable regular
// file. Other kinds are refused: opening a pipe would block until it has a writer, and a device may have no end.
std::string why_unreadable(const std::string& file);

}  // namespace weft::base
