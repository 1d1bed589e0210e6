// Binds the workers of a process to cores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/topology/core_locks.hpp"

namespace weft::runtime {
inline namespace topology {

// What a worker is bound to.
enum class BindTo : std::uint8_t {
  own_core,  // a hardware thread, on a core of its own while there are enough; nothing with more workers than threads
  hwthread,  // a hardware thread of its own
  core,      // all hardware threads of a core of its own
  numa,      // all hardware threads of one NUMA node: worker w gets the node of entry w of allowed_cores(), cyclically
  socket,    // the same with a socket
};

class CoreBinding {
 public:
  // Prefers cores that no other job of this user has, but not with BindTo::numa and BindTo::socket. Throws
  // std::runtime_error where BindTo demands a core or hardware thread of its own for each worker and there are too few.
  explicit CoreBinding(std::uint32_t workers, BindTo what = BindTo::own_core);

  // The hardware threads of each worker; empty where no worker is bound.
  const std::vector<std::vector<std::uint32_t>>& bound_to() const { return bound_to_; }

  // Binds the calling thread to what bound_to() lists for this worker. Returns the hardware thread if that is a single
  // one; nothing where the worker has several, or none because workers are not bound, or where the system refuses.
  std::optional<std::uint32_t> bind_this_thread(std::uint32_t worker) const;

 private:
  CoreLocks locks_;
  std::vector<std::vector<std::uint32_t>> bound_to_;  // constant after construction
};

}  // namespace topology
}  // namespace weft::runtime
