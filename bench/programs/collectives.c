/* MPI_Barrier and MPI_Allreduce of one double, one after the other without pause.
 * collectives [seconds]   prints: barrier_us <value>, allreduce_us <value> */
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

static void barriers(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void sums(int n) {
  double mine = 1;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (sum != ranks) {
    fprintf(stderr, "wrong sum: %g of %d ranks\n", sum, ranks);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double seconds = argc > 1 ? atof(argv[1]) : 0.2;
  const double barrier = seconds_per_iteration(barriers, seconds);
  const double sum = seconds_per_iteration(sums, seconds);
  if (rank == 0) {
    printf("barrier_us %.4f\nallreduce_us %.4f\n", barrier * 1e6, sum * 1e6);
  }
  MPI_Finalize();
  return 0;
}
