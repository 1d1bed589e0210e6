// The calls that a thread is in, for reports of crashes.
#pragma once

#include <cstdint>

namespace weft::launch {

// Which frames a backtrace begins with.
enum class BacktraceStart : std::uint8_t {
  fault,  // the interrupted instruction's, wherever it is
  call    // the first that is not the runtime's or the C library's: how they end the process says nothing
};

// Writes the calling thread's frames to standard error, from that of the instruction at `from` (0: from the caller's)
// to the program's outermost one, with source lines where the program has them. The runtime's frames are left out but
// for functions that the program calls and for the fault itself; a thread without frames of a program shows all of its
// own. `stack_pointer`, if not 0, is the one at `from`: where no unwind information is, it leads to the caller.
// Fit for signal handlers.
void print_backtrace(std::uintptr_t from, std::uintptr_t stack_pointer, BacktraceStart start);

// The innermost return address of the calling thread in the program's own code; 0 if there is none.
std::uintptr_t calling_program();

}  // namespace weft::launch
