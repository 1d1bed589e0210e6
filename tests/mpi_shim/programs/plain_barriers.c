// A program without any call that could move its ranks, but --migrate-at.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, moves = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long* values = malloc(1000 * sizeof *values);
  long* sums = malloc(1000 * sizeof *sums);
  for (int step = 0; step < 10; ++step) {
    int worker = weft_worker();
    for (int i = 0; i < 1000; ++i) values[i] = rank * step + i;
    MPI_Barrier(MPI_COMM_WORLD);
    moves += weft_worker() != worker;
    worker = weft_worker();
    MPI_Allreduce(values, sums, 1000, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    moves += weft_worker() != worker;
    for (int i = 0; i < 1000; ++i) {
      if (sums[i] != (long)size * (size - 1) / 2 * step + (long)size * i) MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  free(values);
  free(sums);
  MPI_Reduce(&moves, &all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("all sums right, %d moves\n", all);
  MPI_Finalize();
  return 0;
}
