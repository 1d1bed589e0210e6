// What a fatal signal in a rank says: the rank, the MPI call it was last in, the reason and a backtrace.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/job/job.hpp"
#include "runtime/output/output.hpp"

namespace weft::runtime {

// Installs handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT for the process; after the report the signal's
// default follows, with its core file. `output` is flushed first; it outlives the process's ranks. Sanitizers keep
// their own handlers.
void report_crashes(Output& output, std::size_t stack_bytes);

// Gives the calling thread the stack on which handlers run: a rank's own may be what overflowed. Once per thread is
// enough.
void give_signal_stack();

// "rank 3, last in MPI_Send", for reports.
std::string describe_rank(const Rank& rank);

// Writes the calling stack's frames to standard error.
void print_backtrace();

}  // namespace weft::runtime
