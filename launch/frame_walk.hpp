// Reads the frames of a stack on which no thread runs: of a suspended fibre, or of a thread that is held.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::launch {

// The registers with which a stopped execution continues, by their DWARF numbers (System V ABI for AMD64, figure 3.36).
struct StoppedRegisters {
  static constexpr std::size_t kStackPointer = 7;
  static constexpr std::size_t kInstruction = 16;
  std::array<std::uint64_t, 17> words{};

  // The registers of a thread that a signal has interrupted.
  static StoppedRegisters of(const ucontext_t& interrupted);
  // The registers of a suspended fibre. `saved_context` is Fiber::saved_context(), not null. instruction() is 0 where
  // Fiber::saved_registers() is unknown.
  static StoppedRegisters of_fiber(const void* saved_context);

  std::uint64_t stack_pointer() const { return words[kStackPointer]; }
  std::uint64_t instruction() const { return words[kInstruction]; }
};

// Writes the addresses of the innermost frames: first that of the next instruction, then those of the calls. Returns
// how many; there are fewer where a frame cannot be understood. Allocates nothing and takes no lock.
std::size_t walk_frames(const StoppedRegisters& from, std::span<std::uint64_t> addresses);

// Calls the function. Returns false if it read memory that is not there: it was then left in the middle. It may keep no
// object with a destructor. For walks over frames, which assembly may describe wrongly.
bool run_catching_faults(void (*function)(void* argument), void* argument);

// Called by the handler of memory faults. If the fault was in a function called by run_catching_faults(), it does not
// return, but lets that call return false.
void resume_after_fault();

}  // namespace weft::launch
