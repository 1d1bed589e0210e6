// The functions that MPI-3.0 removed, for programs that still call them: each calls its successor.
#define WEFT_NO_DEPRECATED
#include "mpi.h"

extern "C" {

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent) {
  MPI_Aint lower = 0;
  return PMPI_Type_get_extent(datatype, &lower, extent);
}

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(datatype, displacement, &extent);
}

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement) {
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  const int error = PMPI_Type_get_extent(datatype, &lower, displacement == nullptr ? nullptr : &extent);
  if (error == MPI_SUCCESS) {
    *displacement = lower + extent;
  }
  return error;
}
}

#include "mpi_shim/generated/table/removed_names.inc"
