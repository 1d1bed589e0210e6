// The cores this process may use, through hwloc.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::runtime {
inline namespace topology {

// Operating-system numbers of the hardware threads that the calling thread may run on: first the first thread of each
// core, then the second ones. A core of which it may run on the second thread only comes with the second ones, too.
std::vector<std::uint32_t> allowed_cores();

// The first hardware thread of each core that the calling thread may run on.
std::vector<std::uint32_t> first_threads();

// Groups of hardware threads.
enum class Neighbourhood : std::uint8_t { core, numa, socket };
// The hardware threads that the calling thread may run on and that share a core, NUMA node or socket with this one;
// ascending.
std::vector<std::uint32_t> allowed_threads_near(std::uint32_t thread, Neighbourhood of);

// The cores for one of several processes that may all run on the same cores.
struct ProcessCores {
  std::vector<std::uint32_t> cores;  // as allowed_cores lists them; at least one
  bool is_exclusive;  // false: there are fewer hardware threads than processes, so no process should bind
};
// Part `index` of `parts`: neighbouring cores with all their hardware threads, or hardware threads where there are
// fewer cores than `parts`.
ProcessCores process_cores(std::uint32_t index, std::uint32_t parts);

// Binds the calling thread, and threads that it starts, to these cores only, so that allowed_cores() lists no others.
// Does nothing where the system refuses.
void bind_this_thread_to(const std::vector<std::uint32_t>& cores);

// The NUMA node of a hardware thread, numbered as by the system; 0 where it is unknown.
std::uint32_t numa_of(std::uint32_t core);

// Binds the calling thread, which runs a worker, to these hardware threads. Returns the hardware thread if it is a
// single one and the system allows it.
std::optional<std::uint32_t> bind_worker_to(const std::vector<std::uint32_t>& threads);

// Binds the calling thread to one hardware thread. False when the system refuses.
bool bind_this_thread(std::uint32_t core);

}  // namespace topology
}  // namespace weft::runtime
