// The end of requests: what the program is told, and what becomes of those that it has not waited for.
#pragma once

#include <vector>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace request {

// Tells the user of a request that is done: fills `status` (which may be MPI_STATUS_IGNORE, and whose MPI_ERROR stays),
// releases the request and sets `handle` to MPI_REQUEST_NULL, or makes it inactive where it is persistent.
// Returns the request's own error class; raises nothing.
int conclude(RankState& me, PendingRequest& request, MPI_Request& handle, MPI_Status* status);

// What MPI_Finalize does: completes sends whose requests the program has freed, withdraws such receives.
void finish_abandoned_requests(RankState& me);
// The end of a rank: no message may reach its requests any more. False when a message may yet, because the program has
// not waited for a send: then the requests must stay where they are.
bool settle_requests(RankState& me);
// Appends the requests that the rank still holds, for WEFT_CHECK.
void add_leaked_requests(RankState& me, std::vector<Leak>& leaks);

}  // namespace request
}  // namespace weft::mpi_shim
