// Files that the user names and a program reads.
#pragma once

#include <string>

namespace weft::base {

// "FILE: cannot be read: No such file or directory" and the like; empty if the file can be read and is a regular one.
// Opening a pipe would wait for who writes to it, and a device may have no end.
std::string unreadable(const std::string& file);

}  // namespace weft::base
