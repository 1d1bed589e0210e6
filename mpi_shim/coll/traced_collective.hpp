// Records collective calls in the job's timeline: communicator, root, and the bytes that this member sends and
// receives.
#pragma once

#include <cstddef>
#include <span>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "trace/event.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// The bytes that one member sends and receives.
struct MemberBytes {
  std::size_t sent = 0;
  std::size_t received = 0;
  std::size_t element = 0;  // of a reduction
};

// The bytes of the blocks of n members.
std::size_t all_bytes(const Blocks& blocks, int n);

// Records a checked call. `root` is negative if the call has none or it is not in this group. Each collective has an
// overload for its own checked call.
void note_collective(const Entry& entry, const Communicator& comm, int root, const MemberBytes& bytes);
// Called before note_collective() in calls whose blocks may differ: records the bytes of each member's block, for the
// simulator.
void note_blocks(const Entry& entry, trace::EventKind kind, std::span<const std::size_t> bytes);
void note_blocks(const Entry& entry, trace::EventKind kind, const Blocks& blocks, int n);

template <typename... Call>
void trace_collective(const Entry& entry, const Call&... call) {
  if (calls_are_traced) [[unlikely]] {
    note_collective(entry, call...);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
