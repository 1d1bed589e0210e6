// Whether the system calls that a job cannot do without are allowed: seccomp filters of containers forbid some.
#pragma once

namespace weft::bootstrap {

// Throw std::runtime_error with the name of the first call that a filter refuses. Without this a job would hang, crash
// or lose its output where the call fails for the first time. They change nothing and take microseconds.
void require_calls_of_every_process();
// Those that the processes of a job with several and their launcher need besides.
void require_calls_between_processes();

}  // namespace weft::bootstrap
