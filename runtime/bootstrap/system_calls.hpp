// Checks that the system calls that a job needs are allowed: seccomp filters of containers forbid some.
#pragma once

namespace weft::bootstrap {

// Both functions throw std::runtime_error with the name of the first call that a filter refuses. Otherwise the job
// would hang, crash or lose output where that call first fails. They change nothing and take microseconds.
void require_calls_of_every_process();
// The additional calls of jobs with several processes, and of their launcher.
void require_calls_between_processes();

}  // namespace weft::bootstrap
