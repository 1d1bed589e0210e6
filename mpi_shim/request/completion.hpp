// Completion of requests: what the program gets, and what happens to requests that it has not waited for.
#pragma once

#include <vector>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace request {

// Fills the status of a message that is done, except for its MPI_ERROR. Returns the message's error class.
int fill_message_status(const runtime::Request& message, MPI_Status* status);
// Completes a request that is done. Fills `status`, which may be MPI_STATUS_IGNORE, except for its MPI_ERROR. Releases
// the request and sets `handle` to MPI_REQUEST_NULL, or makes a persistent request inactive. A receive that failed with
// MPIX_ERR_PROC_FAILED_PENDING stays pending. Returns the request's own error class; raises no error.
int complete_request(RankState& me, PendingRequest& request, MPI_Request& handle, MPI_Status* status);

// For MPI_Finalize: completes sends whose requests the program has freed, and cancels such receives.
void finish_abandoned_requests(RankState& me);
// For the end of a rank: cancels its receives, so that no message can reach its requests any more. False: one still
// can, since the program has not waited for a send; then the requests must stay in memory.
bool quiesce_requests(RankState& me);
// Appends the requests that the rank still holds, for WEFT_CHECK.
void add_leaked_requests(RankState& me, std::vector<Leak>& leaks);

}  // namespace request
}  // namespace weft::mpi_shim
