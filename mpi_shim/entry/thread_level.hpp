// Levels of thread support.
#pragma once

#include <optional>
#include <string_view>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// What this module keeps for a rank.
struct ThreadSupport final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::thread_support;
  int level = MPI_THREAD_SINGLE;  // provided by MPI_Init_thread
  bool threads_may_call = false;  // some call has asked for MPI_THREAD_SERIALIZED or more

  // After unpacking, the rank's threads may call in this process as in the one that it left.
  void pup(pup::Puper& p, RankState& me) override;
};

// Returns the level that is provided when `required` is asked for. If that is at least MPI_THREAD_SERIALIZED, the
// rank's threads may call from now on. Called on the rank's own fibre, or by a thread that may call already.
int provide_threads(RankState& me, int required);

const char* name_of_thread_level(int level);
std::optional<int> thread_level_of(std::string_view name);

}  // namespace entry
}  // namespace weft::mpi_shim
