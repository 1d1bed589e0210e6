/* Threads of every rank talk to those of the next rank, reduce over communicators of their own, and keep their own
   thread-local variables, while the rank's main thread waits for them to end. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kRounds = 50 };

static _Thread_local int mine = 7;
static MPI_Comm comms[kThreads];
static int wrong, rank, size;
static pthread_barrier_t together;

static void expect(int fact, const char* what) {
  if (!fact) {
    printf("WRONG: rank %d: %s\n", rank, what);
    __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
  }
}

static void* talk(void* number) {
  const int t = (int)(long)number;
  int main_thread = 1, level = -1;
  expect(mine == 7, "a thread-local variable begins with another's value");
  mine = t;
  errno = 100 + t;
  MPI_Is_thread_main(&main_thread);
  MPI_Query_thread(&level);
  expect(!main_thread, "a thread is said to be the main thread");
  expect(level == MPI_THREAD_MULTIPLE, "the level");
  for (int i = 0; i < kRounds; ++i) {
    int out[2] = {rank, 1000 * t + i}, in[2] = {-1, -1}, sum = 0;
    MPI_Request request;
    MPI_Irecv(in, 2, MPI_INT, (rank + size - 1) % size, t, MPI_COMM_WORLD, &request);
    MPI_Send(out, 2, MPI_INT, (rank + 1) % size, t, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in[0] == (rank + size - 1) % size && in[1] == 1000 * t + i, "a message");
    MPI_Allreduce(&out[1], &sum, 1, MPI_INT, MPI_SUM, comms[t]);
    expect(sum == size * (1000 * t + i), "a sum");
    if (i % 10 == 0) {
      pthread_barrier_wait(&together);
    }
  }
  expect(mine == t, "a thread-local variable has changed");
  expect(errno == 100 + t, "errno has changed");
  return number;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  int provided = -1, sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(provided == MPI_THREAD_MULTIPLE, "what is provided");
  pthread_barrier_init(&together, NULL, kThreads);
  for (long t = 0; t < kThreads; ++t) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  }
  mine = 70;
  for (int again = 0; again < 3; ++again) {
    const pthread_t self = pthread_self();
    for (long t = 0; t < kThreads; ++t) {
      pthread_create(&threads[t], NULL, &talk, (void*)t);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (again > 0) {
      expect(pthread_equal(self, pthread_self()), "the main thread is another one after a call");
    }
    for (long t = 0; t < kThreads; ++t) {
      void* result = NULL;
      pthread_join(threads[t], &result);
      expect(result == (void*)t, "a result");
    }
  }
  expect(mine == 70, "the main thread's variable has changed");
  for (int t = 0; t < kThreads; ++t) {
    MPI_Comm_free(&comms[t]);
  }
  MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && sum == 0) {
    printf("all threads talked\n");
  }
  MPI_Finalize();
  return 0;
}
