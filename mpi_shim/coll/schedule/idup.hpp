// Copies of communicators behind a request.
#pragma once

#include <memory>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {

// Collective over `comm`, in a job of several processes; waits for nobody. The request, behind which `twin`, which has
// all but the shared part, becomes a communicator of the rank's and its handle goes to `newcomm`; or which ends with
// `error`.
MPI_Request duplicate_later(const Entry& entry, Communicator& comm, std::unique_ptr<Communicator> twin, int error,
                            MPI_Comm* newcomm);

}  // namespace weft::mpi_shim
