// Replaces calls of the dynamic linker and of OpenMP's library that a rank must not make directly.
#pragma once

#include <string>

namespace weft::image {

// The host's function that ranks get instead of the library's function of this name; null for all others.
// - dlopen returns the rank's own copy of an image of the program, plugins included. Any other library it opens in the
//   host, one copy for all ranks; the first time it warns.
// - dlsym and dlclose accept both kinds of handles. dlsym of RTLD_DEFAULT searches the rank's images first, that of
//   RTLD_NEXT the host only.
// - Functions of OpenMP's library: see openmp_calls.hpp.
void* replacement_for(const std::string& name);

}  // namespace weft::image
