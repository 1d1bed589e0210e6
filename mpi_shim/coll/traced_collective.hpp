// What collective calls tell the job's timeline: communicator, root, and the bytes that this member gives and gets.
#pragma once

#include "mpi_shim/coll/allgather/allgather.hpp"
#include "mpi_shim/coll/alltoall/alltoall.hpp"
#include "mpi_shim/coll/bcast/bcast.hpp"
#include "mpi_shim/coll/reduce/reduce.hpp"
#include "mpi_shim/coll/rooted.hpp"

namespace weft::mpi_shim {

// A call whose arguments are right; `root` is negative where it has none or is not in this group.
[[gnu::cold]] void note_collective(const Entry& entry, const Communicator& comm, int root, std::size_t sent,
                                   std::size_t received);
[[gnu::cold]] void note_collective(const Entry& entry, const Bcast& checked);
[[gnu::cold]] void note_collective(const Entry& entry, const Allgather& checked);
[[gnu::cold]] void note_collective(const Entry& entry, const RootedCall& call, const Rooted& checked);
[[gnu::cold]] void note_collective(const Entry& entry, const Alltoall& checked);
[[gnu::cold]] void note_collective(const Entry& entry, const CheckedReduction& checked);

template <typename... Call>
void trace_collective(const Entry& entry, const Call&... call) {
  if (calls_are_traced) [[unlikely]] {
    note_collective(entry, call...);
  }
}

}  // namespace weft::mpi_shim
