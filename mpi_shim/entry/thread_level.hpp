// Levels of thread support.
#pragma once

#include <optional>
#include <string_view>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {

// The level that is provided where this one is asked for; from MPI_THREAD_SERIALIZED on the rank's threads may call
// from then on. On the rank's own fibre or in a call of a thread that may call already.
int provide_threads(RankState& me, int required);
// A rank that was packed is itself again, in this process.
void go_on_with_threads(RankState& me);

const char* name_of_thread_level(int level);
std::optional<int> thread_level_of(std::string_view name);

}  // namespace weft::mpi_shim
