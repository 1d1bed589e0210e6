/* Every rank writes lines in pieces, which must come out as whole lines. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 50; ++i) {
    for (int piece = 0; piece < 8; ++piece) {
      printf("%02d", rank);
      fflush(stdout);
    }
    printf("\n");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
