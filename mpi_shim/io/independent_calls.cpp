// Independent data access calls and all non-blocking ones.
#include "mpi_shim/io/transfer.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

#include "mpi_shim/generated/io/independent_calls.inc"
