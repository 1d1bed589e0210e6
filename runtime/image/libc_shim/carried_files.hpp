// Regular files that a rank has open go where it goes: opened again by their paths, under the same numbers.
#pragma once

#include <stddef.h>

#include "runtime/image/libc_shim/holdings.hpp"

namespace weft::shim {

// False for what is no descriptor of a regular file, and for one whose number or offset is not the rank's alone.
bool may_be_carried(const Holding& holding);
// Whether the file cannot be opened again where the rank goes; why, in `reason`.
// REQUIRES: it may be carried.
bool why_file_stays(const Holding& holding, bool several_hosts, char* reason, size_t size);

}  // namespace weft::shim
