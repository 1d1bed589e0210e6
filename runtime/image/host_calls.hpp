// Calls into the dynamic linker and OpenMP's library that a rank must not make directly.
#pragma once

#include <string>

namespace weft::image {

// The host's function that ranks get instead of the C library's one of this name; null for all others.
// dlopen: finds what the program was loaded with, plugins too, and else opens in the host (one copy for all ranks) and
// warns once. OpenMP's: openmp_calls.hpp. dlsym, dlclose and dlerror know both kinds of handles; dlsym of the default
// scope asks the program first.
void* replacement_for(const std::string& name);

}  // namespace weft::image
