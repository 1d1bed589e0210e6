// Levels of thread support.
#pragma once

#include <optional>
#include <string_view>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// A rank's part of the state.
struct ThreadSupport final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::thread_support;
  int level = MPI_THREAD_SINGLE;  // that MPI_Init_thread has provided
  bool may_call = false;          // MPI_THREAD_SERIALIZED or more was asked for, by whatever call

  // Unpacked, the rank's threads may call in this process as they could in the other one.
  void pup(pup::Puper& p, RankState& me) override;
};

// The level that is provided where this one is asked for; from MPI_THREAD_SERIALIZED on the rank's threads may call
// from then on. On the rank's own fibre or in a call of a thread that may call already.
int provide_threads(RankState& me, int required);

const char* name_of_thread_level(int level);
std::optional<int> thread_level_of(std::string_view name);

}  // namespace entry
}  // namespace weft::mpi_shim
