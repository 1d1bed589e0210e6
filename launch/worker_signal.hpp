// The signal by which Weft's own threads interrupt a thread that runs ranks, wherever that is, with a request.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace weft::launch {

enum class WorkerRequest : std::uint8_t { preempt, hold };

// Called on the interrupted thread, in the signal's handler. `interrupted` is where it was. The caller preserves errno.
using WorkerRequestHandler = void (*)(ucontext_t& interrupted);

// Sets the handler for a request, once for each, and installs the process's signal handler. The signal is SIGURG, which
// is ignored by default and hardly used by programs. A program that handles it itself replaces this handler: requests
// then have no effect.
void set_worker_request_handler(WorkerRequest request, WorkerRequestHandler handler);

// Returns false where the system refuses, and where the program handles the signal itself. A request may be lost if
// another one is pending for the same thread.
bool send_worker_request(int thread, WorkerRequest request);

}  // namespace weft::launch
