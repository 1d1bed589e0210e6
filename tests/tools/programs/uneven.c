/* uneven [steps [milliseconds]]: rank r works r + 1 units in each step, then calls MPI_Migrate. Rank 0 prints the
 * workers on which the ranks ended, and how long each has worked, in all and in the first step. Work is CPU time, so
 * that a busy machine changes nothing. On a virtual machine CPU time may pass while its host does something else, so
 * that a rank works longer than it should. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <weft.h>

static double cpu_seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 5;
  const double unit = (argc > 2 ? atof(argv[2]) : 1) * 1e-3;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double worked[2] = {0, 0}; /* in all, and in the first step: seconds */
  for (int step = 0; step < steps; ++step) {
    const double begin = cpu_seconds();
    double now = begin;
    while (now < begin + unit * (rank + 1)) {
      now = cpu_seconds();
    }
    worked[0] += now - begin;
    if (step == 0) {
      worked[1] = now - begin;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Migrate();
  }
  const double mine = rank + 1;
  double* load = calloc((size_t)weft_worker_count(), sizeof *load);
  load[weft_worker()] = mine;
  double* all = calloc((size_t)weft_worker_count(), sizeof *all);
  MPI_Reduce(load, all, weft_worker_count(), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  double* seconds = calloc(2 * (size_t)size, sizeof *seconds);
  MPI_Gather(worked, 2, MPI_DOUBLE, seconds, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("units by worker:");
    for (int w = 0; w < weft_worker_count(); ++w) {
      printf(" %.0f", all[w]);
    }
    printf("\nseconds by rank:");
    for (int r = 0; r < size; ++r) {
      printf(" %.6f", seconds[2 * r]);
    }
    printf("\nof the first step:");
    for (int r = 0; r < size; ++r) {
      printf(" %.6f", seconds[2 * r + 1]);
    }
    printf("\n");
  }
  free(seconds);
  free(load);
  free(all);
  MPI_Finalize();
  return 0;
}
