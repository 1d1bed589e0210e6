/* Files that stay open while ranks move: every rank writes and reads some in each round, and compares them at the end
   with what must be in them, byte by byte: open_files <beginning of a folder's name> [moves]

   With "moves" every rank must have come to another process, with its files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "mpi.h"
#include "weft.h"

enum { kRounds = 12, kBytes = 1 << 17 };

static int rank, size, faults;

#define CHECK(x)                                                                   \
  do {                                                                             \
    if (!(x)) {                                                                    \
      ++faults;                                                                    \
      fprintf(stderr, "rank %d: line %d: %s does not hold\n", rank, __LINE__, #x); \
    }                                                                              \
  } while (0)

static char folder[256];

static const char* path_of(const char* what, int of) {
  static char path[300];
  snprintf(path, sizeof path, "%s/%s.%d", folder, what, of);
  return path;
}

/* What a file must hold. */
typedef struct {
  char bytes[kBytes];
  size_t size;
} Text;

static void add(Text* text, const char* words) {
  strcpy(text->bytes + text->size, words);
  text->size += strlen(words);
}

static void compare(const char* what, const Text* expected) {
  static char found[kBytes];
  FILE* const file = fopen(path_of(what, rank), "r");
  CHECK(file != NULL);
  const size_t n = file != NULL ? fread(found, 1, sizeof found, file) : 0;
  CHECK(n == expected->size && memcmp(found, expected->bytes, n) == 0);
  if (file != NULL) {
    fclose(file);
  }
}

static const char* line_of(const char* what, int round) {
  static char line[64];
  snprintf(line, sizeof line, "%s of rank %d in round %d\n", what, rank, round);
  return line;
}

static void put(int descriptor, const char* words) {
  CHECK(write(descriptor, words, strlen(words)) == (ssize_t)strlen(words));
}

static void make_input(Text* input) {
  for (int i = 0; i < 2000; ++i) {
    char line[32];
    snprintf(line, sizeof line, "%d\n", i * i + rank);
    add(input, line);
  }
  const int descriptor = open(path_of("input", rank), O_WRONLY | O_CREAT | O_EXCL, 0600);
  put(descriptor, input->bytes);
  close(descriptor);
}

static Text raw, buffered, unbuffered, ahead, other, wide, input, output;

/* Numbers one after the other; some are pushed back and read again. */
static void read_some(FILE* file, int round) {
  for (int i = 0; i < 100; ++i) {
    int number = -1;
    const int c = getc(file);
    ungetc(c, file);
    CHECK(fscanf(file, "%d\n", &number) == 1 && number == (100 * round + i) * (100 * round + i) + rank);
  }
}

static int moved(void) {
  static pid_t before;
  const pid_t now = getpid();
  const int is_other = before != 0 && before != now;
  before = now;
  return is_other;
}

/* Goes back into what it has written, and to the end again. */
static void overwrite(FILE* file, int round) {
  char mark[8];
  snprintf(mark, sizeof mark, "%02d", round);
  const long end = ftell(file);
  CHECK(end == (long)ahead.size);
  CHECK(fseek(file, 0, SEEK_SET) == 0);
  fputs(mark, file);
  CHECK(fseek(file, 0, SEEK_END) == 0 && ftell(file) == end);
  memcpy(ahead.bytes, mark, 2);
}

static int descriptor, same, also, shared;
static FILE *file, *at_once, *back, *changed, *words, *numbers;

static void open_all(void) {
  make_input(&input);
  descriptor = open(path_of("raw", rank), O_RDWR | O_CREAT | O_TRUNC, 0600);
  same = dup(descriptor);
  also = fcntl(descriptor, F_DUPFD_CLOEXEC, 900);
  CHECK(also >= 900 && (fcntl(also, F_GETFD) & FD_CLOEXEC) != 0 && (fcntl(same, F_GETFD) & FD_CLOEXEC) == 0);
  file = fopen(path_of("buffered", rank), "w");
  at_once = fdopen(open(path_of("unbuffered", rank), O_WRONLY | O_CREAT | O_TRUNC, 0600), "w");
  setvbuf(at_once, NULL, _IONBF, 0);
  back = fopen(path_of("ahead", rank), "w+");
  changed = fopen(path_of("raw", rank), "r");
  words = fopen(path_of("wide", rank), "a");
  numbers = fopen(path_of("input", rank), "r");
  if (rank == 1) {
    CHECK(freopen(path_of("output", rank), "w", stdout) == stdout);
  }
  shared = open(path_of("shared", -1), O_WRONLY | O_CREAT | O_APPEND, 0600);
  CHECK(descriptor >= 0 && same >= 0 && file && at_once && back && changed && words && numbers && shared >= 0);
}

static void use_all(int round) {
  const int by[] = {descriptor, same, also};
  add(&raw, line_of("raw", round));
  put(by[round % 3], line_of("raw", round));
  add(&buffered, line_of("buffered", round));
  fputs(line_of("buffered", round), file);
  add(&unbuffered, line_of("unbuffered", round));
  fputs(line_of("unbuffered", round), at_once);
  add(&ahead, line_of("ahead", round));
  fputs(line_of("ahead", round), back);
  overwrite(back, round);
  if (round == 3) { /* the same stream, another file */
    changed = freopen(path_of("other", rank), "w", changed);
    CHECK(changed != NULL);
  }
  if (round >= 3) {
    add(&other, line_of("other", round));
    fputs(line_of("other", round), changed);
  }
  add(&wide, line_of("wide", round));
  fwprintf(words, L"%s", line_of("wide", round));
  add(&output, line_of("output", round));
  if (rank == 1) {
    fputs(line_of("output", round), stdout);
  }
  read_some(numbers, round);
  char line[32];
  snprintf(line, sizeof line, "%05d %05d\n", rank, round);
  put(shared, line);
}

static void close_all(void) {
  CHECK(fclose(file) == 0 && fclose(at_once) == 0 && fclose(back) == 0 && fclose(changed) == 0 && fclose(words) == 0);
  CHECK(fclose(numbers) == 0);
  CHECK(close(descriptor) == 0 && close(same) == 0 && close(also) == 0 && close(shared) == 0);
  compare("raw", &raw);
  compare("buffered", &buffered);
  compare("unbuffered", &unbuffered);
  compare("ahead", &ahead);
  compare("other", &other);
  compare("wide", &wide);
  if (rank == 1) {
    fflush(stdout);
    compare("output", &output);
  }
}

static void remove_all(void) {
  const char* const names[] = {"raw", "buffered", "unbuffered", "ahead", "other", "wide", "input", "output"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    unlink(path_of(names[i], rank));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(path_of("shared", -1));
    rmdir(folder);
  }
}

/* A number that another rank of the process has chosen is not taken from it. */
static void choose_one_number(void) {
  const int file = open(path_of("chosen", rank), O_CREAT | O_RDWR, 0600);
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    CHECK(dup2(file, 300) == 300);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0 && process == (int)getpid()) {
    errno = 0;
    CHECK(dup2(file, 300) == -1 && errno == EBUSY);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    CHECK(write(300, "mine", 4) == 4 && lseek(file, 0, SEEK_CUR) == 4 && close(300) == 0);
  }
  close(file);
  unlink(path_of("chosen", rank));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int job = (int)getpid();
  MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(folder, sizeof folder, "%s.%d", argv[1], job);
  if (rank == 0) {
    mkdir(folder, 0700);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  choose_one_number();
  open_all();
  int moves = 0;
  for (int round = 0; round < kRounds; ++round) {
    use_all(round);
    MPI_Migrate();
    moves += moved();
    CHECK(lseek(same, 0, SEEK_CUR) == (off_t)raw.size);
  }
  close_all();
  if (argc > 2) {
    CHECK(moves > 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  struct stat status;
  CHECK(stat(path_of("shared", -1), &status) == 0 && status.st_size == size * kRounds * 12);
  int all;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  remove_all();
  if (rank == 0) {
    printf("%d faults\n", all);
  }
  MPI_Finalize();
  return all != 0;
}
