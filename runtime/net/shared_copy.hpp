// Copies out of another process's memory by the kernel (process_vm_readv). An idle worker of the process that is read
// takes over pieces of a long copy, so that both processes' cores copy.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.hpp"

namespace weft::net {

// Where a process describes the one copy that it shares out, in memory that its peers see.
struct alignas(64) CopyBoard {
  std::atomic<std::uint64_t> turn = 0;  // number of the copy << 32 | next piece to take
  std::atomic<std::uint64_t> from = 0;  // address in the process that is read
  std::atomic<std::uint64_t> into = 0;  // address in the board's own process
  std::atomic<std::uint64_t> bytes = 0;
  alignas(64) std::atomic<std::uint64_t> done = 0;  // pieces
  std::atomic<bool> refused = false;                // the kernel did not let a helper write
  // What others ask of the board's own process: the number of the one that asked last, plus one.
  alignas(64) std::atomic<std::uint32_t> asked_by = 0;
};

// Copies of at least so many bytes are worth sharing.
constexpr std::size_t kSharedCopy = std::size_t{256} << 10;

// Where a copy begins, in another process's memory.
struct RemoteSource {
  pid_t process;
  const void* address;
};

// True when all of it was copied; false when the kernel refuses or the process is gone, for the reason in errno.
bool copy_from(RemoteSource source, std::span<std::byte> into);

// The same, in pieces that a helper may take. `own` is this process's board, which one thread at a time uses; `theirs`
// that of the source's process, which is asked by the name `self`.
bool copy_shared(CopyBoard& own, CopyBoard& theirs, ProcessId self, RemoteSource source, std::span<std::byte> into);

// Copies the next piece of what `board`, of process `to`, describes; false when there is none left.
bool help_copy(CopyBoard& board, pid_t to);

}  // namespace weft::net
