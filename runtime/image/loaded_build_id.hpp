// Which build of a library this process has loaded.
#pragma once

#include <string>

namespace weft::image {

// Build id, hexadecimal, of the loaded object in which the address lies; "unknown" where the linker wrote none. Of what
// is in memory: the file may have been replaced since.
std::string loaded_build_id(const void* address);

}  // namespace weft::image
