// MPI_Comm_c2f, MPI_Comm_f2c and their like: a handle is a small integer cast to a pointer type, in C and in Fortran.
#include <bit>
#include <cstdint>
#include <cstring>

#include "mpi.h"

namespace {

template <typename Handle>
int to_int(Handle handle) {
  return static_cast<int>(std::bit_cast<std::intptr_t>(handle));
}

template <typename Handle>
Handle from_int(int value) {
  return std::bit_cast<Handle>(static_cast<std::intptr_t>(value));
}

}  // namespace

extern "C" {

int PMPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int PMPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int PMPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
  *f08_status = *c_status;
  return MPI_SUCCESS;
}

int PMPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
  *c_status = *f08_status;
  return MPI_SUCCESS;
}
}

#include "mpi_shim/generated/table/conversions.inc"
