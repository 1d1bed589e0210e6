// What collective calls tell the job's timeline: communicator, root, and the bytes that this member gives and gets.
#pragma once

#include <cstddef>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {

// The bytes of the blocks of n members.
std::size_t all_bytes(const Blocks& blocks, int n);

// A call whose arguments are right; `root` is negative where it has none or is not in this group. Each collective has
// one for its checked calls beside this.
[[gnu::cold]] void note_collective(const Entry& entry, const Communicator& comm, int root, std::size_t sent,
                                   std::size_t received);

template <typename... Call>
void trace_collective(const Entry& entry, const Call&... call) {
  if (calls_are_traced) [[unlikely]] {
    note_collective(entry, call...);
  }
}

}  // namespace weft::mpi_shim
