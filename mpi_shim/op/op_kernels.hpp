// The element types that predefined operations work on, and the loops over arrays of them.
#pragma once

#include <cstdint>

#include "mpi_shim/op/op.hpp"

namespace weft::mpi_shim {
inline namespace op {

// The type of an element, as kernels distinguish it. complexN has two parts of N bits each: Basic::complex64 is
// Number::complex32. two_real and two_double are pairs of a value and an index, both of floating point.
enum class Number : std::uint8_t {
  none,
  byte,
  int8,
  int16,
  int32,
  int64,
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  float80,
  float128,
  complex16,
  complex32,
  complex64,
  complex80,
  complex128,
  boolean,
  logical8,
  logical16,
  logical32,
  logical64,
  logical128,
  float_int,
  double_int,
  long_int,
  two_int,
  short_int,
  long_double_int,
  two_real,
  two_double,
};
inline constexpr std::size_t kNumbers = static_cast<std::size_t>(Number::two_double) + 1;

// The kernels of each family of operations; null if the operation is of another family or not defined on such elements.
Kernel arithmetic_kernel(MPI_Op op, Number number);  // MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX
Kernel logical_kernel(MPI_Op op, Number number);     // MPI_LAND, MPI_BAND and their like
Kernel location_kernel(MPI_Op op, Number number);    // MPI_MINLOC, MPI_MAXLOC

// The loop of a kernel. __restrict lets the compiler vectorize it: the two arrays do not overlap.
template <typename T, typename Combine>
void fold(const void* from, void* into, std::size_t count) {
  const T* __restrict const source = static_cast<const T*>(from);
  T* __restrict const target = static_cast<T*>(into);
  for (std::size_t i = 0; i < count; ++i) {
    target[i] = Combine::combine(target[i], source[i]);
  }
}

}  // namespace op
}  // namespace weft::mpi_shim
