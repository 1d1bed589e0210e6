// Data calls that a rank makes alone, blocking and non-blocking.
#include "mpi_shim/io/transfer.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

#include "mpi_shim/generated/io/independent_calls.inc"
