// Regular files that a rank has open move with it: they are opened again by their paths, under the same descriptor
// numbers.
#pragma once

#include <stddef.h>

#include "runtime/image/libc_shim/held_resources.hpp"

namespace weft::shim {

// False if the resource is no descriptor of a regular file, or if its number or offset is not the rank's alone.
bool may_be_carried(const HeldResource& resource);
// Whether the file cannot be opened again where the rank goes; `reason` says why. REQUIRES: it may be carried.
bool why_file_stays(const HeldResource& resource, bool several_hosts, char* reason, size_t size);

}  // namespace weft::shim
