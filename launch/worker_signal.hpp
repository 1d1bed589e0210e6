// The signal by which threads of Weft's own ask a thread that runs ranks for something, wherever it is.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace weft::launch {

enum class WorkerRequest : std::uint8_t { preempt, hold };

// Called on the thread that was asked, in the signal's handler; `interrupted` is where it was. errno is kept around it.
using WorkerRequestHandler = void (*)(ucontext_t& interrupted);

// Installs the signal's handler for the process, as SIGURG's, which is ignored by default and hardly used by programs:
// one that handles it itself switches this off. The handler for a request is set once.
void handle_worker_requests(WorkerRequest request, WorkerRequestHandler handler);

// Whether nobody has taken the signal since.
bool are_worker_requests_heard();

// False where the system refuses. A request that comes while another one waits for the same thread may be lost.
bool request_of_worker(int thread, WorkerRequest request);

}  // namespace weft::launch
