// MPI_Comm_idup in a job of several processes.
#pragma once

#include <memory>

#include "mpi_shim/request/request.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// An empty operation of this class, to unpack one into.
std::unique_ptr<Operation> make_duplication();

}  // namespace coll
}  // namespace weft::mpi_shim
