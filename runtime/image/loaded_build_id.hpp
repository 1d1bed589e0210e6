// Finds the build of a library that this process has loaded.
#pragma once

#include <string>

namespace weft::image {

// The build id, in hexadecimal, of the loaded object that contains the address; "unknown" where the linker wrote none.
// Read from memory, since the file may have been replaced.
std::string loaded_build_id(const void* address);

}  // namespace weft::image
