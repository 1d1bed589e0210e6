// What the host calls in a rank's shim; see shim_abi.h.
#pragma once

#include <cstdint>

#include "runtime/image/program.hpp"

namespace weft::image {

struct Program::ShimSymbols {  // slot offsets
  std::uint64_t info = 0, start = 0, heap_top = 0, trim = 0, flush = 0, pinned = 0, arrived = 0;
  std::uint64_t malloc = 0, aligned_alloc = 0, free = 0, at_exit = 0, exit = 0;
  std::uint64_t environment = 0;  // the rank's environ, a variable
};

// A function of the rank in this slot.
template <class Function>
Function* function_at(Slot slot, std::uint64_t offset) {
  return reinterpret_cast<Function*>(slot.data() + offset);
}

}  // namespace weft::image
