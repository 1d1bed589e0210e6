// Processes under a launcher with a PMIx server: Open MPI's mpirun, prterun, srun --mpi=pmix.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

// REQUIRES: PMIX_RANK and the other PMIx variables in the environment; no other thread. The library runs in a relay
// process between this one and the server: its threads would allocate memory at different addresses in each process,
// and ranks could not move. Throws std::runtime_error.
std::unique_ptr<Bootstrap> connect_pmix();

}  // namespace weft::bootstrap
