// Allgather and barrier for the members of a file's communicator.
#pragma once

#include <type_traits>
#include <vector>

#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::io {

// Collective; suspends the rank. The values of all members, by rank.
template <typename Value>
std::vector<Value> allgather_value(const Entry& entry, const Communicator& comm, const Value& mine) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const auto size = static_cast<std::size_t>(comm.size());
  std::vector<Value> values(size, mine);
  if (size == 1) {
    return values;
  }
  if (comm.spans_processes()) {
    Blocks places;
    places.base = values.data();
    places.type = predefined_datatype(MPI_BYTE);
    places.count = sizeof(Value);
    BlockingExecutor executor(entry, comm);
    by_messages::allgather(executor, places);
    return values;
  }
  runtime::Team& team = *comm.team();
  team.exchange_slot(static_cast<std::uint32_t>(comm.rank)).words[0] = &mine;
  next_barrier(entry, comm);
  for (std::size_t i = 0; i < size; ++i) {
    values[i] = *static_cast<const Value*>(team.exchange_slot(static_cast<std::uint32_t>(i)).words[0]);
  }
  // Until all have read this member's value, which lies on its stack.
  next_barrier(entry, comm);
  return values;
}

// Collective; suspends the rank until all members have called.
inline void barrier_of_members(const Entry& entry, const Communicator& comm) {
  if (comm.size() == 1) {
    return;
  }
  if (comm.spans_processes()) {
    BlockingExecutor executor(entry, comm);
    by_messages::barrier(executor);
  } else {
    next_barrier(entry, comm);
  }
}

}  // namespace weft::mpi_shim::io
