// Calls the functions of the shim in each rank's slot; shim_abi.h lists them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/image/layout.hpp"
#include "runtime/image/region.hpp"
#include "runtime/image/shim_abi.h"

namespace weft::image {

// A function of the rank in this slot.
template <class Function>
Function* function_at(Slot slot, std::uint64_t offset) {
  return reinterpret_cast<Function*>(slot.data() + offset);
}

// Constant after construction; the same offsets in every slot. REQUIRES for all calls: a rank has been placed in the
// slot.
class RankShim {
 public:
  // Throws LoadError if the image lacks a function, so that it is not the rank library of this version.
  explicit RankShim(const Image& image);

  WeftShimInfo& info(Slot slot) const;
  // Whether the shim of the slot at this address lies between these addresses. Safe in signal handlers.
  bool lies_between(std::uint64_t slot, std::uint64_t begin, std::uint64_t end) const noexcept {
    return slot + at_.info - begin < end - begin;
  }

  // Called on the rank's own stack. start(): before any other code of the rank. at_exit(): registers `run`, which gets
  // the slot's address as the last of all exit handlers. exit(): what exit() does; does not return.
  void start(Slot slot) const;
  void at_exit(Slot slot, void (*run)(void* slot)) const;
  void exit(Slot slot, int code) const;
  char** environment(Slot slot) const;

  // Why the suspended rank cannot leave its process (a socket, a thread), or null. Valid until the rank runs. With
  // several hosts it may move to one where the same paths lead to other files.
  const char* why_pinned(Slot slot, bool several_hosts) const;
  // Notes in the suspended rank's memory which files it has open. Call it before that memory is copied.
  void save_files(Slot slot) const;
  // Called once the rank has left: closes its files here, and stops the clean-up when threads of this process end.
  void leave(Slot slot) const;
  // Called when the rank has arrived in this process and its info is filled in.
  void arrived(Slot slot) const;
  // Called next: opens its files again. Returns what is wrong, or null; valid until the rank runs.
  const char* reopen_files(Slot slot, bool from_image) const;
  // For a rank from an image, once all ranks have come: truncates the files that it writes to their length in the
  // image. Returns what is wrong, or null.
  const char* truncate_files(Slot slot) const;
  // Memory of the rank's own heap, on its fibre; null when there is none. `alignment` is a power of two.
  void* allocate(Slot slot, std::size_t alignment, std::size_t bytes) const;
  void deallocate(Slot slot, void* memory) const;
  // Returns the pages of free blocks, and those past the heap's highest block, to the system, before the suspended rank
  // moves.
  void trim(Slot slot) const;
  // First byte past the heap's highest block; null before start().
  const char* heap_top(Slot slot) const;
  // The heap's limit: mappings of files lie between there and the slot's end. Null before start().
  const char* heap_end(Slot slot) const;
  // Writes what the standard streams of the rank's C library have buffered. REQUIRES: nobody else runs the rank.
  void flush(Slot slot) const;
  // Whether threads, its own or OpenMP's, may still run in the rank's slot after it has ended.
  bool threaded(Slot slot) const;
  // Whether it has started any thread itself. OpenMP's do not count.
  bool starts_threads(Slot slot) const;

 private:
  struct Offsets {  // in the slot
    std::uint64_t info, start, heap_top, heap_end, trim, flush, pinned, save_files, leave, arrived, reopen_files,
        truncate_files;
    std::uint64_t aligned_alloc, free, at_exit, exit;
    std::uint64_t environment;  // the rank's environ, a variable
  };
  static Offsets find(const Image& image);
  Offsets at_;
};

}  // namespace weft::image
