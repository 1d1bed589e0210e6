// Calls into the dynamic linker that a rank must not make directly.
#pragma once

#include <string>

namespace weft::image {

// The host's function that ranks get instead of the C library's one of this name; null for all others.
// dlopen: opens in the host (one copy for all ranks) and warns once. dlsym of the default scope: asks the program
// first.
void* replacement_for(const std::string& name);

}  // namespace weft::image
