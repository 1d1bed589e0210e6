// The embedded launcher: starts the processes of a job, is their key-value store, and ends the job when one dies.
#pragma once

#include "runtime/bootstrap/launcher_config.hpp"

namespace weft::bootstrap {

// Runs the job to its end. The exit code: abort()'s if a process has called it, else the largest of the processes'
// (128 + signal for a killed one; 1 for one that left early with 0), or 128 + signal if a signal stopped the launcher.
// SIGUSR1 and SIGUSR2 are passed on to process 0. A process that dies before finish() is named on standard error and
// ends the others. Nothing survives this process, even if it is killed. REQUIRES: no other thread; SIGCHLD, SIGINT,
// SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 are its own until it returns.
int launch(const LauncherConfig& config);

}  // namespace weft::bootstrap
