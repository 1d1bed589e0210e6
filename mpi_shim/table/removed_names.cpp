// The names that MPI-3.0 removed, for programs that still call them: each is its successor.
#define WEFT_NO_DEPRECATED
#include "mpi.h"

extern "C" {

int PMPI_Address(const void* location, MPI_Aint* address) { return PMPI_Get_address(location, address); }

// The old handler's type is the communicator handler's under another name.
int PMPI_Errhandler_create(MPI_Handler_function* handler_fn, MPI_Errhandler* errhandler) {
  return PMPI_Comm_create_errhandler(handler_fn, errhandler);
}

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return PMPI_Comm_get_errhandler(comm, errhandler);
}

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return PMPI_Comm_set_errhandler(comm, errhandler); }

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
  if (error == MPI_SUCCESS) *displacement = lower + extent;
  return error;
}

int PMPI_Type_hindexed(int count, const int blocklengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return PMPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_struct(int count, const int blocklengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                     MPI_Datatype* newtype) {
  return PMPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
}
}
