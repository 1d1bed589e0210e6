// The libraries that all ranks of a process share instead of having their own.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace weft::image {

// True if the library is on the built-in list or on `more`. Entries are patterns (as in file names: * ? []) for the
// part of the name before ".so"; "libmkl_*" matches libmkl_core.so.2.
bool is_shared(std::string_view soname, std::span<const std::string> more);

}  // namespace weft::image
