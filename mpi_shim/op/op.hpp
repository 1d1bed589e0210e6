// Reduction operations.
#pragma once

#include <cstddef>

#include "mpi.h"
#include "mpi_shim/datatype/datatype.hpp"

namespace weft::mpi_shim {
inline namespace state {
struct RankState;
}  // namespace state

inline namespace op {

// into[i] = into[i] op from[i] for `count` elements; the two do not overlap. Elements lie element_bytes() apart.
using Kernel = void (*)(const void* from, void* into, std::size_t count);

// An operation of the program. Its functions belong to the rank that passed them, and are called only on that rank's
// fibre.
struct Op {
  MPI_User_function* function = nullptr;
  MPI_User_function_c* large_function = nullptr;  // instead of `function`: made by MPI_Op_create_c
  bool fortran = false;                           // made by Fortran; the arguments are the same in memory
  bool commutative = true;
  MPI_Op handle = MPI_OP_NULL;

  void pup(pup::Puper& p) {
    pup::same_address(p, function);
    pup::same_address(p, large_function);
    pup::same_address(p, handle);
    p | fortran | commutative;
  }
};

inline constexpr std::uintptr_t kFirstOp = 0x20;
inline constexpr std::size_t kPredefinedOps = 0x20;
// Whether the handle lies in the ABI's range for predefined operations; it need not name one.
inline bool is_predefined(MPI_Op op) { return handle_value(op) - kFirstOp < kPredefinedOps; }

// The kernel of a predefined operation on a datatype that consists of one basic type; null if the operation is not
// defined on that type. Beyond the standard, MPI_CHAR and MPI_CHARACTER are 8-bit integers, and the elements of types
// derived from one basic type are combined one by one.
Kernel predefined_kernel(MPI_Op op, const Datatype& type);

// The distance in bytes of two elements in the arrays of a kernel for `type`.
std::size_t element_bytes(const Datatype& type);
// The number of a kernel's elements in one element of `type`.
std::size_t elements_in(const Datatype& type);

// "MPI_SUM", or "a user's operation".
const char* op_name(MPI_Op op);

// inout[i] = in[i] op inout[i] for `count` elements of `type`, by the user's function.
void call_user_function(const Op& op, const void* in, void* inout, std::size_t count, const Datatype& type);

}  // namespace op
}  // namespace weft::mpi_shim
