// Classifies the names of MPI calls in a recording for the compilation to a workload.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/actions.hpp"

namespace weft::sim {

enum class CallClass : std::uint8_t {
  other,       // its events say all that is needed
  completion,  // MPI_Wait and similar calls
  poll,        // MPI_Test, MPI_Iprobe and similar calls, which may find nothing
  buffered,    // MPI_Bsend, MPI_Ibsend
  creation,    // creates a communicator and synchronizes its members
  refused,     // cannot be replayed
};

struct CallMeaning {
  CallClass what = CallClass::other;
  std::string_view reason{};                   // for `refused`: the unsupported feature
  std::optional<CollectiveKind> collective{};  // of blocking and nonblocking calls; for `creation`: barrier
  bool varies = false;                         // members' blocks differ
  bool neighbours = false;                     // a neighbourhood collective
  bool persistent = false;                     // creates a persistent request
};

// `name`: such as "MPI_Igatherv". Large-count forms (_c) and PMPI names mean the same.
CallMeaning meaning_of(std::string_view name);

}  // namespace weft::sim
