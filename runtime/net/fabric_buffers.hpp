// The memory that messages lie in while libfabric has them.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/net/fabric_endpoint.hpp"

namespace weft::net {

// Thread-safe.
class FabricBuffers {
 public:
  static constexpr std::size_t kLongest = 64 << 10;
  static constexpr std::size_t kShort = 1 << 10;

  FabricBuffers();
  ~FabricBuffers();
  FabricBuffers(const FabricBuffers&) = delete;
  FabricBuffers& operator=(const FabricBuffers&) = delete;

  // The memory that holds all buffers.
  std::span<std::byte> arena() const { return arena_; }
  // Receive buffers of kLongest bytes each; they stay with the endpoint.
  std::span<FabricOperation> receives() { return receives_; }

  // A buffer for a message of so many bytes, 64-byte aligned; null when none is free.
  FabricOperation* take(std::size_t bytes);
  void give(FabricOperation& send);

 private:
  std::span<FabricOperation> cut(std::vector<FabricOperation>& operations, std::size_t count, std::size_t bytes,
                                 FabricOperation::Kind kind);

  // Constant after construction.
  std::span<std::byte> arena_;
  std::size_t used_ = 0;
  std::vector<FabricOperation> receives_, short_, long_;  // constant after construction, their contents aside
  std::mutex mutex_;
  std::vector<FabricOperation*> free_short_, free_long_;  // guarded by mutex_; last in, first out
};

}  // namespace weft::net
