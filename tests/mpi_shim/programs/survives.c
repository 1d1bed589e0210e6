/* Rounds of messages with a step each, of MPI_Migrate where MIGRATES is defined, else of a barrier; prints what each
   rank has at the end: survives <rounds> <microseconds of a round> <KiB of a rank> [<numbers that rank 0 reads a
   round>]

   Files in the working directory say what happens to rank R in round K, or at its MPI_Finalize as round -1:
     die.R.K.S    dies of signal S, once: it takes the file away first
     crash.R.K    crashes, each time
     abort.R.K    calls MPI_Abort with 5
     exit.R.K     ends with exit code 6, without MPI_Finalize
     open.R.K     opens a device, which it leaves open
     thread.R.K   starts a thread that never ends
     wait.R.K     says by a file "waits" that it has come there, and waits until the first file is gone */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

static unsigned long checksum;
static _Thread_local int rounds_done;

static int is_asked(const char* what, int rank, int round) {
  char name[64];
  snprintf(name, sizeof name, "%s.%d.%d", what, rank, round);
  return access(name, F_OK) == 0;
}

static void* never_ends(void* unused) {
  for (;;) {
    pause();
  }
  return unused;
}

static void happen(int rank, int round) {
  const int signals[] = {SIGKILL, SIGSEGV};
  for (int i = 0; i < 2; ++i) {
    char name[64];
    snprintf(name, sizeof name, "die.%d.%d.%d", rank, round, signals[i]);
    if (unlink(name) == 0) {
      raise(signals[i]);
      pause();
    }
  }
  if (is_asked("crash", rank, round)) {
    *(volatile int*)NULL = 1;
  }
  if (is_asked("abort", rank, round)) {
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  if (is_asked("exit", rank, round)) {
    exit(6);
  }
  if (is_asked("open", rank, round) && open("/dev/null", O_RDONLY) < 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  pthread_t thread;
  if (is_asked("thread", rank, round) && pthread_create(&thread, NULL, never_ends, NULL) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  while (is_asked("wait", rank, round)) {
    close(open("waits", O_CREAT | O_WRONLY, 0600));
    usleep(1000);
  }
}

static unsigned long read_numbers(int count) {
  unsigned long sum = 0, number;
  for (int i = 0; i < count; ++i) {
    sum = scanf("%lu", &number) == 1 ? sum * 31 + number : 0;
  }
  return sum;
}

/* Of MPI_COMM_SELF: called by MPI_Finalize. */
static int at_finalize(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)extra;
  happen(*(int*)value, -1);
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  const int pause_us = argc > 2 ? atoi(argv[2]) : 0;
  const size_t words = (argc > 3 ? (size_t)atoi(argv[3]) : 400) * 1024 / sizeof(unsigned long);
  const int numbers = argc > 4 ? atoi(argv[4]) : 0;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  unsigned long* field = malloc(words * sizeof *field);
  for (size_t i = 0; i < words; ++i) {
    field[i] = (unsigned long)rank * 1000003 + i;
  }
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &rank);
  for (int round = 0; round < rounds; ++round) {
    unsigned long in, out = field[(size_t)round % words];
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_UNSIGNED_LONG, (rank + size - 1) % size, round, MPI_COMM_WORLD, &request);
    happen(rank, round);
#ifdef MIGRATES
    MPI_Migrate();
#else
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    MPI_Send(&out, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, round, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    in += rank == 0 ? read_numbers(numbers) : 0;
    double mine = (double)(in % 1000) / (rank + 3), all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, half);
    checksum = checksum * 31 + in + (unsigned long)(all * 1e9);
    for (size_t i = (size_t)round % 7; i < words; i += 97) {
      field[i] = field[i] * 6364136223846793005ul + checksum;
    }
    ++rounds_done;
    if (rank == 0) {
      printf("round %d: %lx\n", round, checksum);
    }
    if (pause_us > 0) {
      usleep((useconds_t)pause_us);
    }
  }
  unsigned long sum = checksum;
  for (size_t i = 0; i < words; ++i) {
    sum = sum * 31 + field[i];
  }
  printf("rank %d: %lx after %d rounds\n", rank, sum, rounds_done);
  MPI_Comm_free(&half);
  free(field);
  MPI_Finalize();
  return 0;
}
