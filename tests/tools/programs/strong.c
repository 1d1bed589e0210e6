// strong STEPS WORK: in each step all ranks share WORK additions, send 8 KiB around a ring and sum a number.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  const long work = (argc > 2 ? atol(argv[2]) : 1000000) / ranks;
  static double out[1024];
  static double in[1024];
  double sum = rank;
  for (int step = 0; step < steps; ++step) {
    for (long i = 0; i < work; ++i) {
      sum = sum * 0.999 + 1.0;
    }
    out[0] = sum;
    MPI_Sendrecv(out, 1024, MPI_DOUBLE, (rank + 1) % ranks, 0, in, 1024, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("sum %g\n", sum);
  }
  MPI_Finalize();
  return 0;
}
