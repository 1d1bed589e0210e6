// The frames of a stack that nobody runs on: of a suspended fibre, or of a thread that is held.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::launch {

// The registers with which an execution goes on, by their numbers in DWARF (System V ABI for AMD64, figure 3.36).
struct StoppedRegisters {
  static constexpr std::size_t kStackPointer = 7;
  static constexpr std::size_t kInstruction = 16;
  std::array<std::uint64_t, 17> words{};

  // Of a thread that a signal has interrupted.
  static StoppedRegisters of(const ucontext_t& interrupted);
  // Of a suspended fibre: Fiber::saved_context(), not null. No instruction (0) where Fiber::saved_registers() is not
  // known.
  static StoppedRegisters of_fiber(const void* saved_context);

  std::uint64_t stack_pointer() const { return words[kStackPointer]; }
  std::uint64_t instruction() const { return words[kInstruction]; }
};

// Writes the addresses of the innermost frames: of the instruction that comes next, then of the calls. How many; fewer
// where a frame cannot be understood. Allocates nothing and takes no lock.
std::size_t walk_frames(const StoppedRegisters& from, std::span<std::uint64_t> addresses);

// Calls the function; false if it read memory that is not there, and was left in the middle. It keeps no object with a
// destructor. For walks over frames, which assembly may describe wrongly.
bool survives_faults(void (*function)(void* argument), void* argument);

// For the handler of memory faults: does not return if the fault was in such a function.
void leave_frame_walk();

}  // namespace weft::launch
