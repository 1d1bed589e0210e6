// Replaces calls of the dynamic linker and of OpenMP's library that a rank must not make directly.
#pragma once

#include <string>

namespace weft::image {

// The host's function that ranks get instead of the C library's one of this name; null for all others. dlopen: opens
// the program's own images, including plugins. Other libraries it opens in the host (one copy for all ranks), with one
// warning. dlsym, dlclose and dlerror accept both kinds of handles. dlsym of the default scope searches the program
// first. OpenMP's functions: openmp_calls.hpp.
void* replacement_for(const std::string& name);

}  // namespace weft::image
