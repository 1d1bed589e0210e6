/* watched STEPS: in each step a rank computes a little, exchanges 64 bytes with its neighbours in a ring, and calls an
   allreduce. Rank 0 prints the seconds from the first step to the end of the last. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 1;
  int rank, size;
  double out[8] = {1}, in[8], sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < 3000; ++i) {
      out[0] = out[0] * 0.999 + 0.001 * i;
    }
    MPI_Sendrecv(out, 8, MPI_DOUBLE, (rank + 1) % size, 1, in, 8, MPI_DOUBLE, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(in, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    printf("%.6f s, sum %g\n", MPI_Wtime() - began, sum);
  }
  MPI_Finalize();
  return 0;
}
