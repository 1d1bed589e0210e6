/* Rounds of messages with a step each, of MPI_Migrate where MIGRATES is defined, of MPI_MemCheckpoint in each fourth
   round where IN_MEMORY is, else of a barrier, in which a receive, an allreduce, locks of a window and a file are open;
   prints what each rank has at the end: survives <rounds> <microseconds of a round> <KiB of a rank> [<numbers that rank
   0 reads a round>]

   Files in the working directory say what happens to rank R in round K, or at its MPI_Finalize as round -1:
     die.R.K.S    dies of signal S, once: it takes the file away first
     crash.R.K    crashes, each time
     abort.R.K    calls MPI_Abort with 5
     exit.R.K     ends with exit code 6, without MPI_Finalize
     open.R.K     opens a device, which it leaves open
     thread.R.K   starts a thread that never ends
     leave.R.K    calls AMPI_Evacuate, once
     goes.R.K     makes "elsewhere" the working directory
     maps         each rank maps a file that it reads, a word a round
     wait.R.K     says by a file "waits" that it has come there, and waits until the first file is gone */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

static unsigned long checksum;
static _Thread_local int rounds_done;
static int rank, size;
static MPI_Comm half;
static MPI_Win window;
static unsigned long* window_words;
static MPI_File file;
enum { kMappedWords = 4096 };
static const unsigned long* mapped_words;
static char elsewhere[4096]; /* its whole path: another rank of the process may be there already */

static int is_asked(const char* what, int round) {
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

static void happen(int round) {
  const int signals[] = {SIGKILL, SIGSEGV};
  for (int i = 0; i < 2; ++i) {
    char name[64];
    snprintf(name, sizeof name, "die.%d.%d.%d", rank, round, signals[i]);
    if (unlink(name) == 0) {
      raise(signals[i]);
      pause();
    }
  }
  char leave[64];
  snprintf(leave, sizeof leave, "leave.%d.%d", rank, round);
  if (unlink(leave) == 0) {
    AMPI_Evacuate();
  }
  if (is_asked("goes", round) && chdir(elsewhere) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (is_asked("crash", round)) {
    *(volatile int*)NULL = 1;
  }
  if (is_asked("abort", round)) {
    MPI_Abort(MPI_COMM_WORLD, 5);
  }
  if (is_asked("exit", round)) {
    exit(6);
  }
  if (is_asked("open", round) && open("/dev/null", O_RDONLY) < 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  pthread_t thread;
  if (is_asked("thread", round) && pthread_create(&thread, NULL, never_ends, NULL) != 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (is_asked("wait", round)) {
    close(open("waits", O_CREAT | O_WRONLY, 0600));
    while (is_asked("wait", round)) {
      usleep(1000);
    }
  }
}

/* A word of each rank a round, in a file that is open all the time. */
static void open_words(void) {
  MPI_Datatype every;
  MPI_File_open(MPI_COMM_WORLD, "survives.words", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Type_create_resized(MPI_UNSIGNED_LONG, 0, (MPI_Aint)sizeof(long) * size, &every);
  MPI_Type_commit(&every);
  MPI_File_set_view(file, (MPI_Offset)sizeof(long) * rank, MPI_UNSIGNED_LONG, every, "native", MPI_INFO_NULL);
  MPI_Type_free(&every);
}

static void map_words(void) {
  char name[64];
  unsigned long words[kMappedWords];
  snprintf(name, sizeof name, "survives.mapped.%d", rank);
  for (unsigned long i = 0; i < kMappedWords; ++i) {
    words[i] = (i + 1) * 2654435761ul + (unsigned long)rank;
  }
  const int mapped = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (write(mapped, words, sizeof words) != sizeof words) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  mapped_words = mmap(NULL, sizeof words, PROT_READ, MAP_SHARED, mapped, 0);
  if (mapped_words == MAP_FAILED) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  close(mapped);
}

static unsigned long sum_of_words(int rounds, unsigned long sum) {
  for (int round = 0; round < rounds; ++round) {
    unsigned long word = 0;
    MPI_File_read_at(file, round, &word, 1, MPI_UNSIGNED_LONG, MPI_STATUS_IGNORE);
    sum = sum * 31 + word;
  }
  return sum;
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
  (void)value;
  (void)extra;
  happen(-1);
  return MPI_SUCCESS;
}

/* Messages, a step, and what is open in it; the number that the rank has got. */
static unsigned long exchange(int round, unsigned long out) {
  unsigned long in, largest;
  MPI_Request requests[2];
  MPI_Irecv(&in, 1, MPI_UNSIGNED_LONG, (rank + size - 1) % size, round, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&out, &largest, 1, MPI_UNSIGNED_LONG, MPI_MAX, half, &requests[1]);
  happen(round);
#if defined MIGRATES
  MPI_Migrate();
#elif defined IN_MEMORY
  if (round % 4 == 0) {
    MPI_MemCheckpoint();
  }
#else
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Send(&out, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, round, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  const unsigned long one = 1;
  MPI_Accumulate(&one, 1, MPI_UNSIGNED_LONG, (rank + 2) % size, 0, 1, MPI_UNSIGNED_LONG, MPI_SUM, window);
  MPI_Win_flush((rank + 2) % size, window);
  MPI_File_write(file, &in, 1, MPI_UNSIGNED_LONG, MPI_STATUS_IGNORE);
  return in + largest;
}

static void open_all(void) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window_words, &window);
  *window_words = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  open_words();
  if (access("maps", F_OK) == 0) {
    map_words();
  }
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

/* What window and file have. */
static unsigned long close_all(int rounds, unsigned long sum) {
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  sum = sum_of_words(rounds, sum) + *window_words;
  MPI_File_close(&file);
  MPI_Win_free(&window);
  MPI_Comm_free(&half);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
  const int pause_us = argc > 2 ? atoi(argv[2]) : 0;
  const size_t words = (argc > 3 ? (size_t)atoi(argv[3]) : 400) * 1024 / sizeof(unsigned long);
  const int numbers = argc > 4 ? atoi(argv[4]) : 0;
  if (realpath("elsewhere", elsewhere) == NULL) {
    elsewhere[0] = 0;
  }
  open_all();
  unsigned long* field = malloc(words * sizeof *field);
  for (size_t i = 0; i < words; ++i) {
    field[i] = (unsigned long)rank * 1000003 + i;
  }
  for (int round = 0; round < rounds; ++round) {
    unsigned long in = exchange(round, field[(size_t)round % words]);
    in += rank == 0 ? read_numbers(numbers) : 0;
    in += mapped_words == NULL ? 0 : mapped_words[(round * 97) % kMappedWords];
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
  sum = close_all(rounds, sum);
  printf("rank %d: %lx after %d rounds\n", rank, sum, rounds_done);
  free(field);
  MPI_Finalize();
  return 0;
}
