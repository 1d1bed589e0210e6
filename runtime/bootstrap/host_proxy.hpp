// What weftrun is on each other host of a job: the launcher's hand there. It starts the processes of its host, passes
// signals on to them and tells the launcher how each has ended.
#pragma once

#include <span>

namespace weft::bootstrap {

// Whether this process is to be one, by its environment. Changes nothing.
bool is_host_proxy();

// Serves the launcher until that ends the connection; the processes that are still there then end, too. `arguments` are
// those of this program, with which it starts the processes. The exit code. Throws std::runtime_error, one line for the
// user, where the launcher cannot be reached or a process cannot be started. REQUIRES: no other thread.
int run_host_proxy(std::span<const char* const> arguments);

}  // namespace weft::bootstrap
