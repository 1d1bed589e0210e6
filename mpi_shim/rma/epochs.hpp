// Access epochs: whether a window's epoch allows an operation, and waiting until operations are done at their targets.
#pragma once

#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/rma/window.hpp"

namespace weft::mpi_shim::rma {

// Whether the window's epoch allows access to the target; suspends until the target has posted where that is needed.
bool may_access(RankState& me, Window& window, int target);
// Only these epochs have flushes and requests.
inline bool is_passive(const Window& window) {
  return window.access == Access::locked || window.access == Access::locked_all;
}

// Suspends until all operations on one target, or on all, are done there.
void flush(RankState& me, Window& window, int target);
void flush_all(RankState& me, Window& window);
// Asks a process for a reply once all that was sent to it is done.
void start_flush(RankState& me, Window& window, ProcessId process);

ProcessId process_of(const RankState& me, const Window& window, int member);

// MPI_SUCCESS or the error raised: an assertion is a sum of some of `known`.
int check_assertion(const Entry& entry, const Window& window, int assertion, int known);

}  // namespace weft::mpi_shim::rma
