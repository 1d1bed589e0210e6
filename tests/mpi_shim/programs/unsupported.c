// Calls a function that no version has yet: an error class under MPI_ERRORS_RETURN, the end of the job by default.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, class = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm intercomm = MPI_COMM_NULL;
  for (int i = 0; i < 3; ++i) {
    const int error = MPI_Comm_join(0, &intercomm);
    MPI_Error_class(error, &class);
    if (class != MPI_ERR_UNSUPPORTED_OPERATION) return 3;
  }
  if (argc > 1) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_join(0, &intercomm);
    printf("SURVIVED\n");
  }
  MPI_Finalize();
  return 0;
}
