// Decides whether a blocking call whose members live in one process runs by messages.
#pragma once

#include <optional>

#include "mpi_shim/coll/choice.hpp"
#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Called before the first barrier. If a table names an algorithm by messages, executes `steps` and returns the call's
// result. Otherwise counts them and returns nothing.
template <typename Steps>
std::optional<int> run_by_messages_if_chosen(const Entry& entry, const Communicator& comm, Collective call,
                                             std::size_t bytes, Steps&& steps) {
  if (const Algorithm chosen = choose_in_memory(comm, call, bytes); chosen != Algorithm::in_memory) [[unlikely]] {
    return run_blocking(entry, comm, steps, chosen);
  }
  count_as_messages(entry, comm, steps);
  return std::nullopt;
}

}  // namespace coll
}  // namespace weft::mpi_shim
