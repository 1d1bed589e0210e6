// What a collective call costs ranks that share a process's memory: they meet, as at a barrier; in longer calls each
// then copies or combines its part, and they meet again. As mpi_shim/coll does it where nobody has tuned it.
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
  std::uint32_t member = 0;               // of whom the work is asked
  std::uint32_t size = 0;
};

// Whether members meet again after they have worked.
bool meets_twice(const MemoryCall& call);
// Bytes that the member copies after the first meeting, or combines.
std::uint64_t bytes_copied(const MemoryCall& call);
std::uint64_t bytes_combined(const MemoryCall& call);

}  // namespace weft::sim
