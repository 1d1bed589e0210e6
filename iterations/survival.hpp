// What a loop does where a process may die and the others go on: Weft's --survive api, which the attribute MPIX_FT of a
// communicator tells of. Elsewhere survives() is false, and none of the others is called.
#pragma once

#include <mpi.h>

namespace weft::iterations {

bool survives(MPI_Comm comm);
// Whether the call failed since a process has died or the communicator is revoked.
bool is_failure(int code);
// All calls on it fail from now on, at all members.
void revoke(MPI_Comm comm);
// Collective, also on a revoked communicator: whether all that live say so, and none has died.
bool all_well(MPI_Comm comm, bool well);
// Collective, also on a revoked communicator: one of those that live, which returns errors.
MPI_Comm living(MPI_Comm comm);

}  // namespace weft::iterations
