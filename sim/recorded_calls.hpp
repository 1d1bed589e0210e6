// What the names of MPI calls in a recording mean to who compiles it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/actions.hpp"

namespace weft::sim {

enum class CallClass : std::uint8_t {
  other,       // what its events say
  completion,  // MPI_Wait and its like
  poll,        // MPI_Test, MPI_Iprobe and their like, which may find nothing
  buffered,    // MPI_Bsend
  creation,    // makes a communicator, and synchronizes its members
  refused,     // cannot be replayed
};

struct CallMeaning {
  CallClass what = CallClass::other;
  std::string_view reason{};                   // of a refused one: what it belongs to
  std::optional<CollectiveKind> collective{};  // the kind, whether or not it has a request; of creation: barrier
  bool varies = false;                         // members' blocks differ
  bool neighbours = false;                     // a neighbourhood collective
  bool persistent = false;                     // it makes a request that is started later
};

// `name`: as "MPI_Igatherv"; forms with large counts and those of the profiling interface mean the same.
CallMeaning meaning_of(std::string_view name);

}  // namespace weft::sim
