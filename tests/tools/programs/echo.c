/* All ranks read standard input, after as many barriers as the argument says, and print how many lines they read. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  char line[100];
  int lines = 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int barriers = argc > 1 ? atoi(argv[1]) : 0; barriers > 0; --barriers) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  while (fgets(line, sizeof line, stdin) != NULL) {
    ++lines;
  }
  printf("rank %d read %d lines\n", rank, lines);
  MPI_Finalize();
  return 0;
}
