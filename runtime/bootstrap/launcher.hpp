// The embedded launcher: starts the processes of a job, serves as their key-value store, and ends the job when one
// dies.
#pragma once

#include "runtime/bootstrap/launcher_config.hpp"

namespace weft::bootstrap {

// Runs the job to its end and returns the exit code: abort()'s if a process has called it; 128 + signal if a signal
// stopped the launcher; else the largest of the processes' (128 + signal for a killed one, 1 for one that left early
// with 0). Passes SIGUSR1 and SIGUSR2 on to process 0. A process that dies before finish() is named on standard error
// and ends the others. No process survives the launcher, even if it is killed. REQUIRES: no other thread; SIGCHLD,
// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 belong to launch() until it returns.
int launch(const LauncherConfig& config);

}  // namespace weft::bootstrap
