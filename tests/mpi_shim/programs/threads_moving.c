/* Ranks with threads that move: while a thread of a rank's own lives the rank stays in its process, and what OpenMP's
   threads have (threadprivate variables) goes along. Prints how many balancing steps brought ranks to another process,
   in each of the two, and to another worker. */
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { kSteps = 12 };

static int own;
#pragma omp threadprivate(own)
static _Thread_local int other;
static int rank;

static int place(int key) {
  int* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found);
  return *value;
}

/* Whether the step has brought the rank to another process, and to another worker. */
static void step(long* processes, long* workers) {
  const int process = place(AMPI_MY_PROCESS), worker = place(AMPI_MY_WTH);
  MPI_Migrate();
  *processes += place(AMPI_MY_PROCESS) != process;
  *workers += place(AMPI_MY_WTH) != worker;
}

/* The thread counts where the rank looks, without a thread-local variable or a call of MPI. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static long* counts; /* what it has been asked for, and what it has done; negative: it is to end */

static void* count(void* unused) {
  pthread_mutex_lock(&mutex);
  while (counts[0] >= 0) {
    counts[1] = counts[0];
    pthread_cond_broadcast(&condition);
    pthread_cond_wait(&condition, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void ask(long number, int answers) {
  pthread_mutex_lock(&mutex);
  counts[0] = number;
  pthread_cond_broadcast(&condition);
  while (answers && counts[1] != number) {
    pthread_cond_wait(&condition, &mutex);
  }
  pthread_mutex_unlock(&mutex);
}

static void with_own_thread(long moves[2]) {
  pthread_t thread;
  counts = calloc(2, sizeof *counts);
  if (pthread_create(&thread, NULL, count, NULL) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 1; i <= kSteps; ++i) {
    step(&moves[0], &moves[1]);
    ask(i, 1); /* a thread that the rank has left would never answer */
  }
  ask(-1, 0);
  pthread_join(thread, NULL);
  free(counts);
}

/* Teams of other sizes than those of the worker's other ranks, and than before. */
static long with_openmp(long moves[2]) {
  long faults = 0;
  int largest = 0;
  for (int i = 0; i < kSteps; ++i) {
    const int threads = 2 + (rank + i) % 3;
#pragma omp parallel num_threads(threads) reduction(+ : faults)
    {
      const int number = omp_get_thread_num(), id = 100 * rank + number;
      faults += number < largest && (own != id || other != -id);
      own = id;
      other = -id;
    }
    largest = threads > largest ? threads : largest;
    step(&moves[0], &moves[1]);
  }
  return faults;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_dynamic(0);
  long local[6] = {0}, all[6];
  local[0] = with_openmp(&local[1]);
  with_own_thread(&local[3]);
  step(&local[5], &local[2]); /* the thread has ended */
  MPI_Reduce(local, all, 6, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%ld faults; to other processes: %ld with OpenMP, %ld with own threads, %ld after; to other workers: %ld\n",
           all[0], all[1], all[3], all[5], all[2] + all[4]);
  }
  MPI_Finalize();
  return 0;
}
