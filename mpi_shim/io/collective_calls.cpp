// Collective data access calls: blocking and split.
#include "mpi_shim/io/transfer.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

#include "mpi_shim/generated/io/collective_calls.inc"
