// Reduction operations.
#pragma once

#include "mpi.h"
#include "mpi_shim/datatype.hpp"

namespace weft::mpi_shim {

// inout[i] = in[i] op inout[i] for `count` elements of a predefined type.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

struct Op {
  MPI_User_function* function = nullptr;  // the user's; null for a predefined operation
  bool fortran = false;                   // called with Fortran's conventions
  bool commutative = true;
};

// The kernel of a predefined operation on a basic type, null when the standard does not define that pair.
Kernel predefined_kernel(MPI_Op op, Basic basic);

}  // namespace weft::mpi_shim
