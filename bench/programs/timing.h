/* Runs a communication pattern for about a fixed time, so that one source suits MPIs that are fast or very slow. */
#ifndef WEFT_BENCH_TIMING_H
#define WEFT_BENCH_TIMING_H

#include <mpi.h>

/* Collective on MPI_COMM_WORLD. Calls body(n) on every rank with growing n until one batch lasts `seconds` at rank 0;
 * returns that batch's seconds per iteration, the same on every rank. The earlier batches warm up. */
static double seconds_per_iteration(void (*body)(int n), double seconds) {
  int n = 2;
  for (;;) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    body(n);
    double elapsed = MPI_Wtime() - start;
    MPI_Bcast(&elapsed, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (elapsed >= seconds) {
      return elapsed / n;
    }
    const double growth = elapsed > 0 ? 1.1 * seconds / elapsed : 16;
    n = (int)(n * (growth > 16 ? 16 : growth)) + 1;
  }
}

#endif
