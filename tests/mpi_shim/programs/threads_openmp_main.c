/* Only the main threads of an OpenMP program call MPI: threads_openmp_main outside|inside FUNNELED|MULTIPLE. In the
   first word, whether they do so in parallel regions, too, where they also sleep. In the second, what MPI_Init_thread
   is asked for. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kThreads = 2, kRounds = 10 };

static int exchange(int rank, int size, int round) {
  int in = -1;
  const int out = 100 * rank + round;
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, round, &in, 1, MPI_INT, (rank + size - 1) % size, round,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return in == 100 * ((rank + size - 1) % size) + round;
}

static int add_up(int n, int inside, int rank, int size, int round) {
  int sum = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : sum)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      sum += i;
    }
    if (inside && omp_get_thread_num() == 0) {
      sum += exchange(rank, size, round) ? 0 : 1;
      usleep(100);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    sum += omp_get_num_threads() == kThreads ? 0 : 1;
#pragma omp barrier
  }
  return sum;
}

int main(int argc, char** argv) {
  const int inside = argc > 1 && strcmp(argv[1], "inside") == 0;
  const int level = argc > 2 && strcmp(argv[2], "MULTIPLE") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED;
  int provided = -1, rank = 0, size = 0, wrong = 0, sum = 0;
  MPI_Init_thread(&argc, &argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < kRounds; ++round) {
    wrong += add_up(1000, inside, rank, size, round) != 499500;
    wrong += !exchange(rank, size, kRounds + round);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf(sum == 0 ? "all sums are right\n" : "WRONG\n");
  }
  MPI_Finalize();
  return 0;
}
