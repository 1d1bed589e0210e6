// The calls of a loop that survives the death of a process: Weft's --survive api, which the attribute MPIX_FT of a
// communicator announces. Elsewhere is_fault_tolerant() is false, and the other functions are not called.
#pragma once

#include <mpi.h>

namespace weft::iterations {

bool is_fault_tolerant(MPI_Comm comm);
// Whether the call failed because a process has died or the communicator is revoked.
bool is_failure(int code);
// From now on all calls on the communicator fail, on all members.
void revoke(MPI_Comm comm);
// Collective, also on a revoked communicator: whether all members pass `success` and none has died.
bool agree_on_success(MPI_Comm comm, bool success);
// Collective, also on a revoked communicator: a communicator of the survivors, with MPI_ERRORS_RETURN.
MPI_Comm shrink_to_survivors(MPI_Comm comm);

}  // namespace weft::iterations
