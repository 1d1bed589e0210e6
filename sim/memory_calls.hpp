// The cost of a collective call whose members share a process's memory. The members synchronize in a barrier; in longer
// calls each then copies or combines its part, and a second barrier follows. The limits are mpi_shim/coll's defaults.
#pragma once

#include <cstdint>
#include <span>

#include "sim/actions.hpp"
#include "sim/platform.hpp"

namespace weft::sim {

struct MemoryCall {
  const CollectiveCall& call;
  std::span<const std::uint64_t> counts;  // those of the call
  std::uint64_t bytes = 0;                // as Action::value has them
  std::uint32_t member = 0;               // whose work is computed
  std::uint32_t size = 0;
};

// Whether members synchronize again after their work.
bool has_second_barrier(const MemoryCall& call);
// Bytes that the member copies, or combines, after the first barrier.
std::uint64_t bytes_copied(const MemoryCall& call);
std::uint64_t bytes_combined(const MemoryCall& call);

}  // namespace weft::sim
