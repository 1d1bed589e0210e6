/* A user's shared library with a global of its own, private to each rank like the program's. */
#include <mpi.h>

static int calls;

int part_call(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  calls += rank;
  return calls;
}
