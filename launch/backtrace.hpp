// Backtraces of the calling thread, for crash reports.
#pragma once

#include <cstdint>

namespace weft::launch {

// Which frame a backtrace begins with.
enum class BacktraceStart : std::uint8_t {
  fault,  // that of the interrupted instruction, even in the runtime
  call    // the program's innermost frame, or that of the runtime function that it calls
};

// Writes the calling thread's frames to standard error, with source lines where the program has them. They begin at the
// instruction `from` (0: at the caller) and end with the program's outermost frame. Frames of the runtime are left out,
// except for the fault itself and for functions that the program calls. A thread without frames of a program shows all
// of its frames. `stack_pointer` is the stack pointer at `from`, or 0. Where `from` has no unwind information, the
// caller's address is read from there. Async-signal-safe.
void print_backtrace(std::uintptr_t from, std::uintptr_t stack_pointer, BacktraceStart start);

// The innermost return address of the calling thread that lies in the program's own code; 0 if there is none.
std::uintptr_t program_return_address();

}  // namespace weft::launch
