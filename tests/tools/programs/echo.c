/* Rank 0 reads standard input; all ranks say how many lines they read. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  char line[100];
  int lines = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  while (fgets(line, sizeof line, stdin) != NULL) {
    ++lines;
  }
  printf("rank %d read %d lines\n", rank, lines);
  MPI_Finalize();
  return 0;
}
