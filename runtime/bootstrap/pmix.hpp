// Processes under a launcher with a PMIx server: Open MPI's mpirun, prterun, srun --mpi=pmix.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"

namespace weft::bootstrap {

// REQUIRES: PMIX_RANK and what belongs to it in the environment; one thread. The library lives in a process of its own
// between this one and the server: its threads would allocate memory at other addresses in each process, and ranks
// could not move. Throws std::runtime_error.
std::unique_ptr<Bootstrap> connect_pmix();

}  // namespace weft::bootstrap
