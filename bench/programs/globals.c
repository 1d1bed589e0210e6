/* Measures what private globals cost: a kernel over 2,048 scattered globals, run in turn by ranks that pass a token.
 * With -DWITHOUT_MPI the ranks are processes on one core and the token goes through pipes.
 * globals [ranks, only without MPI] [passes per turn]
 * prints: pass_us <median over all turns of a pass over the globals>, turn_us <a turn with its hand-over> */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifndef WITHOUT_MPI
#include <mpi.h>
#endif

/* One global for each cache line: 128 KiB in all. Each has a symbol, so that each access has its own code. */
#define GLOBAL(n) __attribute__((aligned(64))) unsigned long global_##n = 1;
#define UPDATE(n) global_##n = global_##n * 3 + previous, previous = global_##n;
#define EACH8(X, p) X(p##0) X(p##1) X(p##2) X(p##3) X(p##4) X(p##5) X(p##6) X(p##7)
#define EACH64(X, p) \
  EACH8(X, p##0)     \
  EACH8(X, p##1) EACH8(X, p##2) EACH8(X, p##3) EACH8(X, p##4) EACH8(X, p##5) EACH8(X, p##6) EACH8(X, p##7)
#define EACH512(X, p) \
  EACH64(X, p##0)     \
  EACH64(X, p##1) EACH64(X, p##2) EACH64(X, p##3) EACH64(X, p##4) EACH64(X, p##5) EACH64(X, p##6) EACH64(X, p##7)
#define EACH2048(X) EACH512(X, 0) EACH512(X, 1) EACH512(X, 2) EACH512(X, 3)

EACH2048(GLOBAL)

static __attribute__((noinline)) unsigned long kernel(unsigned long previous) {
  EACH2048(UPDATE)
  return previous;
}

static int rank, ranks, rounds, passes;
static unsigned long sum = 1;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Runs the caller's turn. Returns microseconds per pass. */
static double turn(void) {
  const double start = now_us();
  for (int i = 0; i < passes; ++i) {
    sum = kernel(sum);
  }
  return (now_us() - start) / passes;
}

static void report(double* times, double whole_us) {
  const int n = ranks * rounds;
  const int turns_seen = (rounds - 1) * ranks + 1; /* by rank 0, to the end of its last */
  qsort(times, (size_t)n, sizeof *times, ascending);
  printf("pass_us %.4f\nturn_us %.4f\n", times[n / 2], whole_us / turns_seen);
}

static void set_rounds(void) { rounds = 1 + 2000 / ranks; }

#ifdef WITHOUT_MPI

int main(int argc, char** argv) {
  ranks = argc > 1 ? atoi(argv[1]) : 1;
  passes = argc > 2 ? atoi(argv[2]) : 10;
  set_rounds();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  sched_setaffinity(0, sizeof one, &one);
  double* times = mmap(NULL, sizeof(double) * (size_t)ranks * (size_t)rounds, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int(*pipes)[2] = malloc(sizeof(int[2]) * (size_t)ranks);
  for (int i = 0; i < ranks; ++i) {
    if (pipe(pipes[i]) != 0) {
      perror("pipe");
      return 1;
    }
  }
  for (rank = ranks - 1; rank > 0 && fork() != 0; --rank) {
  }
  char token = 0;
  turn();
  double start = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) {
      start = now_us();
    }
    if (ranks > 1 && (rank != 0 || round >= 0) && read(pipes[rank][0], &token, 1) != 1) {
      return 1;
    }
    const double pass = turn();
    if (round >= 0) {
      times[rank * rounds + round] = pass;
    }
    if (ranks > 1 && write(pipes[(rank + 1) % ranks][1], &token, 1) != 1) {
      return 1;
    }
  }
  if (rank == 0) {
    const double whole = now_us() - start;
    while (wait(NULL) > 0) {
    }
    report(times, whole);
  }
  return 0;
}

#else

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  passes = argc > 2 ? atoi(argv[2]) : 10;
  set_rounds();
  double* times = malloc(sizeof(double) * (size_t)rounds);
  double* all = rank == 0 ? malloc(sizeof(double) * (size_t)rounds * (size_t)ranks) : NULL;
  char token = 0;
  turn();
  double start = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) {
      start = now_us();
    }
    if (ranks > 1 && (rank != 0 || round >= 0)) {
      MPI_Recv(&token, 1, MPI_CHAR, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    const double pass = turn();
    if (round >= 0) {
      times[round] = pass;
    }
    if (ranks > 1) {
      MPI_Send(&token, 1, MPI_CHAR, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
    }
  }
  const double whole = now_us() - start;
  if (rank == 0 && ranks > 1) {
    MPI_Recv(&token, 1, MPI_CHAR, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Gather(times, rounds, MPI_DOUBLE, all, rounds, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    report(all, whole);
  }
  free(all);
  free(times);
  MPI_Finalize();
  return 0;
}

#endif
