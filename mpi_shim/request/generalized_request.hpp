// What the end of a generalized request asks of the program.
#pragma once

#include "mpi_shim/request/request.hpp"

namespace weft::mpi_shim {

// Calls the program's free function, which the request's release then does not. Its MPI error code; MPI_SUCCESS for
// other operations.
int free_generalized(RankState& me, Operation& operation);

}  // namespace weft::mpi_shim
