/* Has a local array of n doubles and uses its lower quarter: large_array one|all <n>. The array must not overlap the
   rank's globals. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kGlobals = 1 << 20 };
static double globals[kGlobals];

__attribute__((noinline)) static void uses_array(long n) {
  volatile double array[n];
  for (long i = 0; i < n / 4; ++i) {
    array[i] = 1.0;
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  double sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 2 && (rank == 1 || strcmp(argv[1], "all") == 0)) {
    uses_array(atol(argv[2]));
  }
  for (int i = 0; i < kGlobals; ++i) {
    sum += globals[i];
  }
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d: sum %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
