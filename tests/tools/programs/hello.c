/* Prints its rank, changes a global, and fails if another rank has changed it. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>

static int mine = 1;

int main(int argc, char** argv) {
  int rank = -1;
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine += rank;
  errno = 1000 + rank;
  MPI_Barrier(MPI_COMM_WORLD);
  /* A call may leave an errno of its own, but never another rank's. */
  const int another = errno >= 1000 && errno != 1000 + rank;
  const int bad = mine != 1 + rank || another;
  printf("hello from C: rank %d of %d%s\n", rank, size, bad ? " SPOILT" : "");
  MPI_Finalize();
  return bad;
}
