// What weftrun does on each other host of a job, for the launcher. It starts the processes of its host, passes signals
// on to them, and reports to the launcher how each of them has ended.
#pragma once

#include <span>

namespace weft::bootstrap {

// Whether this process is to be a proxy, by its environment. Changes nothing.
bool is_host_proxy();

// Serves the launcher until it ends the connection; processes that are still running are then killed. `arguments`:
// those of this program, with which it starts the processes. Returns the exit code. Throws std::runtime_error, one line
// for the user, where the launcher cannot be reached or a process cannot be started. REQUIRES: no other thread.
int run_host_proxy(std::span<const char* const> arguments);

}  // namespace weft::bootstrap
