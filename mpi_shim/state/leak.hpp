// What a rank has not freed, completed or received at its end (--check), and which calls made it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi_shim/state/handles.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace state {

// The call that made a handle.
struct Creation {
  std::string call;           // "MPI_Irecv"; empty if unknown
  std::uintptr_t caller = 0;  // the address in the rank's program that it was called from; 0 if unknown

  void pup(pup::Puper& p) { p | call | caller; }
};

// The creations of one rank's handles, by handle value, as far as they were recorded. Entries of freed handles are
// stale.
using Creations = std::map<std::uintptr_t, Creation>;

// One object or message that is left.
struct Leak {
  struct Message {
    std::uint64_t bytes = 0;
    int peer = 0;  // negative: any rank
    int tag = 0;   // negative: any tag
    bool is_sent = false;
  };

  std::string what;  // "request never completed"
  Creation made_by = {};
  std::string name = {};  // of the object, or another property that distinguishes it from others of its kind
  std::optional<Message> message = std::nullopt;
};

// The creation of a handle; empty where it was not recorded.
template <typename Handle>
Creation creation_of(const Creations& creations, Handle handle) {
  const auto found = creations.find(handle_value(handle));
  return found == creations.end() ? Creation{} : found->second;
}

// Appends a leak for each object of the table.
template <typename T, HandleKind kind>
void add_unfreed(std::vector<Leak>& leaks, const HandleTable<T, kind>& table, const Creations& creations,
                 const char* what) {
  table.for_each_handle([&](std::uintptr_t handle, const T& /*object*/) {
    leaks.push_back({what, creation_of(creations, handle)});
  });
}

}  // namespace state
}  // namespace weft::mpi_shim
