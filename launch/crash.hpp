// What a fatal signal in a rank says: the rank, the MPI call it was last in, the reason and a backtrace.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// Installs handlers for the process of the signals that leave a core file, SIGSEGV, SIGABRT, SIGQUIT and the like,
// unless they are ignored; after the report the signal's default follows, with a core file of what the ranks used.
// The program's output is flushed first; it outlives the ranks. Of these signals sanitizers handle all but SIGABRT
// themselves. `launcher`, which may be null, hears of the crash.
void report_crashes(ImageProgram& program, std::size_t stack_bytes, bootstrap::Bootstrap* launcher);

// Gives the calling thread the stack on which handlers run: a rank's own may be what overflowed. Once per thread is
// enough.
void give_signal_stack();

// Ends the process by SIGABRT, whose report gives this reason.
[[noreturn]] void end_by_abort(const char* why);

// "rank 3, last in MPI_Send", for reports.
std::string describe_rank(const runtime::Rank& rank);

}  // namespace weft::launch
