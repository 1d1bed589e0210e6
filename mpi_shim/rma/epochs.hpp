// Access epochs: whether a window's epoch allows an operation, and flushes, which wait until operations are done at
// their targets.
#pragma once

#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/rma/window.hpp"

namespace weft::mpi_shim::rma {

// Whether the window's epoch allows access to the target. Suspends if the target must post first and has not.
bool may_access(RankState& me, Window& window, int target);
// Whether a passive-target epoch is open: only in these, flushes and operations with requests are allowed.
inline bool is_passive(const Window& window) {
  return window.access == Access::locked || window.access == Access::locked_all;
}

// Suspends until all operations on one target, or on all, are done there.
void flush(RankState& me, Window& window, int target);
void flush_all(RankState& me, Window& window);
// Asks a process to reply once it has executed all earlier messages.
void start_flush(RankState& me, Window& window, ProcessId process);

ProcessId process_of(const RankState& me, const Window& window, int member);

// MPI_SUCCESS, or the error raised if the assertion has a bit that is not in `known`.
int check_assertion(const Entry& entry, const Window& window, int assertion, int known);

}  // namespace weft::mpi_shim::rma
