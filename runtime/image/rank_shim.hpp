// What the host asks of the shim that lies in each rank's slot, by the functions that shim_abi.h lists.
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

// Constant after construction; the same offsets in every slot. The slot of a call is one in which a rank was placed.
class RankShim {
 public:
  // Throws LoadError: the image lacks a function, so it is not the rank library of this version.
  explicit RankShim(const Image& image);

  WeftShimInfo& info(Slot slot) const;
  // Whether the shim of the slot at this address lies between these two. Fit for signal handlers.
  bool lies_between(std::uint64_t slot, std::uint64_t begin, std::uint64_t end) const noexcept {
    return slot + at_.info - begin < end - begin;
  }

  // On the rank's own stack: before any other code of the rank; `run` gets the slot's address, last of all exit
  // handlers; what exit() does, which does not return.
  void start(Slot slot) const;
  void at_exit(Slot slot, void (*run)(void* slot)) const;
  void exit(Slot slot, int code) const;
  char** environment(Slot slot) const;

  // Why the suspended rank cannot leave its process (a socket, a thread), or null. Valid until the rank runs. With
  // several hosts it may come to one that finds other files by the same paths.
  const char* pinned(Slot slot, bool several_hosts) const;
  // Before the suspended rank's memory is read, to travel: notes in it which files it has open.
  void save_files(Slot slot) const;
  // Once the rank has left with them: closes them, and cleans up no more when threads of this process end.
  void leave(Slot slot) const;
  // The rank has come to this process, and its info is filled in.
  void arrived(Slot slot) const;
  // Then: opens its files again. What is wrong, or null; valid until the rank runs.
  const char* reopen_files(Slot slot, bool from_image) const;
  // From an image, once all ranks have come: cuts the files that it writes to what they were. What is wrong, or null.
  const char* cut_files(Slot slot) const;
  // Memory of the rank's own heap, on its fibre; null when there is none. `alignment` is a power of two.
  void* allocate(Slot slot, std::size_t alignment, std::size_t bytes) const;
  void deallocate(Slot slot, void* memory) const;
  // Gives the unused pages at the end of the suspended rank's heap back, before it moves.
  void trim(Slot slot) const;
  // First byte past the heap's highest block; null before start().
  const char* heap_top(Slot slot) const;
  // The heap stays below; mappings of files are between there and the slot's end. Null before start().
  const char* heap_end(Slot slot) const;
  // Hands over what the standard streams of the rank's C library still hold. REQUIRES: nobody else runs the rank.
  void flush(Slot slot) const;
  // Whether threads may still run in the rank's slot after it has ended: its own, or OpenMP's.
  bool threaded(Slot slot) const;
  // Whether it has started any by itself. Those of OpenMP do not count.
  bool starts_threads(Slot slot) const;

 private:
  struct Offsets {  // in the slot
    std::uint64_t info, start, heap_top, heap_end, trim, flush, pinned, save_files, leave, arrived, reopen_files,
        cut_files;
    std::uint64_t aligned_alloc, free, at_exit, exit;
    std::uint64_t environment;  // the rank's environ, a variable
  };
  static Offsets find(const Image& image);
  Offsets at_;
};

}  // namespace weft::image
