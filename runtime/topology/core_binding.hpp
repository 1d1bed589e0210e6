// Binds the workers of a process to cores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/topology/core_locks.hpp"

namespace weft::runtime {
inline namespace topology {

class CoreBinding {
 public:
  // Cores first that no other job of this user has. With more workers than cores none is bound.
  explicit CoreBinding(std::uint32_t workers);

  // Binds the calling thread to the core of this worker, and returns that; nothing where it runs where the system
  // likes.
  std::optional<std::uint32_t> bind_this_thread(std::uint32_t worker) const;

 private:
  CoreLocks locks_;
  std::vector<std::uint32_t> cores_;  // by worker; none where none is bound
};

}  // namespace topology
}  // namespace weft::runtime
