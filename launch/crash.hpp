// Reports fatal signals: the rank, the MPI call that it was last in, the reason and a backtrace.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// Installs the process's handlers for signals that leave a core file (SIGSEGV, SIGABRT, SIGQUIT and the like), unless
// they are ignored. The handler flushes the ranks' output, reports, and lets the signal's default action follow, with a
// core file of the memory that the ranks used. Sanitizers handle all of these signals but SIGABRT themselves.
// `launcher`, which may be null, is notified of the crash.
void report_crashes(ImageProgram& program, std::size_t stack_bytes, bootstrap::Bootstrap* launcher);
// The program and the launcher are about to be destroyed: later reports do without them.
void forget_program();

// Gives the calling thread an alternate signal stack, since a rank's own stack may be what overflowed. Further calls of
// a thread change nothing.
void install_signal_stack();

// Ends the process by SIGABRT; the crash report states this reason.
[[noreturn]] void abort_with_reason(const char* why);

// "rank 3, last in MPI_Send", for reports.
std::string describe_rank(const runtime::Rank& rank);

}  // namespace weft::launch
