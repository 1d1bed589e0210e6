// MPI_Abi_get_info and its like: the sizes of the ABI's integers and of gfortran's types.
#include <cstdint>
#include <string>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace entry {
namespace {

struct Pair {
  const char* key;
  const char* value;
};

constexpr Pair kSizes[] = {{"mpi_aint_size", "8"}, {"mpi_count_size", "8"}, {"mpi_offset_size", "8"}};

// gfortran on x86-64. MPI_REAL2 and MPI_COMPLEX4, which gfortran lacks, can be sent and reduced all the same.
constexpr Pair kFortran[] = {
    {"mpi_logical_size", "4"},
    {"mpi_integer_size", "4"},
    {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"},
    {"mpi_logical1_supported", "true"},
    {"mpi_logical2_supported", "true"},
    {"mpi_logical4_supported", "true"},
    {"mpi_logical8_supported", "true"},
    {"mpi_logical16_supported", "true"},
    {"mpi_integer1_supported", "true"},
    {"mpi_integer2_supported", "true"},
    {"mpi_integer4_supported", "true"},
    {"mpi_integer8_supported", "true"},
    {"mpi_integer16_supported", "true"},
    {"mpi_real2_supported", "true"},
    {"mpi_real4_supported", "true"},
    {"mpi_real8_supported", "true"},
    {"mpi_real16_supported", "true"},
    {"mpi_complex4_supported", "true"},
    {"mpi_complex8_supported", "true"},
    {"mpi_complex16_supported", "true"},
    {"mpi_complex32_supported", "true"},
    {"mpi_double_complex_supported", "true"},
};

template <std::size_t size>
int fill(const Pair (&pairs)[size], MPI_Info* info) {
  int error = PMPI_Info_create(info);
  for (const Pair& pair : pairs) {
    if (error == MPI_SUCCESS) {
      error = PMPI_Info_set(*info, pair.key, pair.value);
    }
  }
  return error;
}

// Stores 1 and 0, gfortran's .TRUE. and .FALSE., in the width of T.
template <typename T>
void store_booleans(void* true_value, void* false_value) {
  *static_cast<T*>(true_value) = 1;
  *static_cast<T*>(false_value) = 0;
}

int abi_get_info(const Entry& /*entry*/, MPI_Info* info) { return fill(kSizes, info); }

int abi_get_fortran_info(const Entry& /*entry*/, MPI_Info* info) { return fill(kFortran, info); }

int abi_get_fortran_booleans(const Entry& entry, int logical_size, void* logical_true, void* logical_false,
                             int* is_set) {
  *is_set = 1;
  switch (logical_size) {
    case 1:
      store_booleans<std::int8_t>(logical_true, logical_false);
      return MPI_SUCCESS;
    case 2:
      store_booleans<std::int16_t>(logical_true, logical_false);
      return MPI_SUCCESS;
    case 4:
      store_booleans<std::int32_t>(logical_true, logical_false);
      return MPI_SUCCESS;
    case 8:
      store_booleans<std::int64_t>(logical_true, logical_false);
      return MPI_SUCCESS;
    default:
      *is_set = 0;
      return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "logical_size is {}; gfortran has 1, 2, 4 and 8", logical_size);
  }
}

// The Fortran types are built in, so a program cannot set them.
int abi_set_fortran_info(const Entry& entry, MPI_Info /*info*/) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ABI, "Fortran's types are set already: they are gfortran's");
}

int abi_set_fortran_booleans(const Entry& entry, int /*logical_size*/, void* /*logical_true*/,
                             void* /*logical_false*/) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ABI, "Fortran's booleans are set already: they are gfortran's");
}

}  // namespace
}  // namespace entry
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/entry/abi.inc"
