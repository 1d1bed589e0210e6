// The cores this process may use, through hwloc.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::runtime {

// Operating-system numbers of the hardware threads this process may run on (its cpuset), one per core first, then the
// second threads of those cores.
std::vector<std::uint32_t> allowed_cores();

// Binds the calling thread to one hardware thread. False when the system refuses.
bool bind_this_thread(std::uint32_t core);

}  // namespace weft::runtime
