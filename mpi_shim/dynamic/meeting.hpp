// Groups of one job that make an intercommunicator although they have no communicator in common but the world.
#pragma once

#include "mpi.h"

namespace weft::mpi_shim {

// Collective over `comm` and over the other side's, whose root is `other` in the job. An MPI error code.
int meet_in_world(MPI_Comm comm, int root, int other, MPI_Comm* newcomm);

}  // namespace weft::mpi_shim
