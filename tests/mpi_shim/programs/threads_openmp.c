/* All threads of an OpenMP region call MPI, the rank's main thread among them. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { kThreads = 3, kRounds = 20 };

int main(int argc, char** argv) {
  int provided = -1, rank, size, wrong = 0, sum = 0;
  MPI_Comm comms[kThreads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int t = 0; t < kThreads; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  }
  for (int again = 0; again < 3; ++again) {
#pragma omp parallel num_threads(kThreads) reduction(+ : wrong)
    {
      const int t = omp_get_thread_num();
      int is_main = -1;
      MPI_Is_thread_main(&is_main);
      wrong += is_main != (t == 0) || omp_get_num_threads() != kThreads;
      for (int i = 0; i < kRounds; ++i) {
        int in = -1, ones = 0, one = 1;
        const int out = 100 * rank + t;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, t, &in, 1, MPI_INT, (rank + size - 1) % size, t,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != 100 * ((rank + size - 1) % size) + t;
        MPI_Allreduce(&one, &ones, 1, MPI_INT, MPI_SUM, comms[t]);
        wrong += ones != size;
        wrong += t != omp_get_thread_num();
      }
#pragma omp barrier
    }
  }
  for (int t = 0; t < kThreads; ++t) {
    MPI_Comm_free(&comms[t]);
  }
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(sum == 0 && provided == MPI_THREAD_MULTIPLE ? "all threads talked\n" : "WRONG\n");
  }
  MPI_Finalize();
  return 0;
}
