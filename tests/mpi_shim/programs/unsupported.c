// Calls a function that no version has yet: an error class under MPI_ERRORS_RETURN, the end of the job by default.
#include <mpi.h>
#include <stdio.h>

static int spawn(MPI_Comm* intercomm) {
  return MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, intercomm, MPI_ERRCODES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, class = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm intercomm = MPI_COMM_NULL;
  for (int i = 0; i < 3; ++i) {
    const int error = spawn(&intercomm);
    MPI_Error_class(error, &class);
    if (class != MPI_ERR_SPAWN) return 3;
  }
  if (argc > 1) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    spawn(&intercomm);
    printf("SURVIVED\n");
  }
  MPI_Finalize();
  return 0;
}
