// The cores this process may use, through hwloc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::runtime {
inline namespace topology {

// Operating-system numbers of the hardware threads the calling thread may run on, one per core first, then the
// second threads of those cores.
std::vector<std::uint32_t> allowed_cores();

// The first hardware thread of each core that the calling thread may run on.
std::vector<std::uint32_t> first_threads();

// Which hardware threads lie together.
enum class Neighbourhood : std::uint8_t { core, numa, socket };
// Those that the calling thread may run on, of the same core, NUMA node or socket as this one, ascending.
std::vector<std::uint32_t> allowed_threads_near(std::uint32_t thread, Neighbourhood of);

// What one of several processes that may all run on the same cores takes of them.
struct CoreShare {
  std::vector<std::uint32_t> cores;  // as allowed_cores lists them; at least one
  bool own;                          // false: there are fewer hardware threads than processes, so nobody should bind
};
// Neighbouring cores with all their hardware threads, or hardware threads where there are fewer cores than `parts`.
CoreShare core_share(std::uint32_t index, std::uint32_t parts);

// Lets the calling thread, and those it starts, run on these only, so that allowed_cores() lists no others.
void keep_to(const std::vector<std::uint32_t>& cores);

// The NUMA node of a hardware thread, as the system counts; 0 where that is not known.
std::uint32_t numa_of(std::uint32_t core);

// Lets the calling thread, which runs a worker, run on these hardware threads only. The one, if it is only one and the
// system does not refuse.
std::optional<std::uint32_t> keep_worker_to(const std::vector<std::uint32_t>& threads);

// Binds the calling thread to one hardware thread. False when the system refuses.
bool bind_this_thread(std::uint32_t core);

}  // namespace topology
}  // namespace weft::runtime
