// Copies from another process's memory by the kernel (process_vm_readv). An idle worker of the process that is read
// takes over pieces of a long copy, so that cores of both processes copy.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace weft::net {

// Describes the one copy that a process offers to share, in memory that its peers can access.
struct alignas(64) CopyOffer {
  std::atomic<std::uint64_t> next_piece = 0;  // number of the copy << 32 | next piece to copy
  std::atomic<pid_t> source = 0;              // the process that is read
  std::atomic<std::uint64_t> from = 0;        // address in the process that is read
  std::atomic<std::uint64_t> into = 0;        // address in the process that offers the copy
  std::atomic<std::uint64_t> bytes = 0;
  alignas(64) std::atomic<std::uint64_t> done = 0;  // pieces that have been copied
  std::atomic<bool> refused = false;                // the kernel did not let a helper write
  // Set by other processes to ask this process for help: the number of the one that asked last, plus one. 0: none.
  alignas(64) std::atomic<std::uint32_t> asked_by = 0;
};

// Copies of at least this many bytes are worth sharing.
constexpr std::size_t kSmallestSharedCopy = std::size_t{256} << 10;

// Where a copy's source begins, in another process's memory.
struct RemoteSource {
  pid_t process;
  const void* address;
};

// True when everything was copied. False, with errno, when the kernel refuses or the process is gone.
bool copy_from(RemoteSource source, std::span<std::byte> into);

// The same, in pieces that a helper may take. `own` is this process's offer, which one thread at a time uses; `theirs`
// belongs to the source's process, which is asked for help in the name of `self`.
bool copy_shared(CopyOffer& own, CopyOffer& theirs, ProcessId self, RemoteSource source, std::span<std::byte> into);

// Copies the next piece of the copy that process `to` describes in `offer`, if that copy reads process `self`, the
// caller's. False when no piece is left, or when the copy reads another process: the one for which `to` asked is over.
bool help_copy(CopyOffer& offer, pid_t self, pid_t to);

}  // namespace weft::net
