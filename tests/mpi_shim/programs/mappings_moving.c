/* Ranks with memory of mmap() that move, and with files that they have mapped. While a rank has a mapping that is
   neither plain memory nor only read it stays in its process. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <weft.h>

enum { kSteps = 10, kPieces = 4, kAccess = PROT_READ | PROT_WRITE };

static int process(void) {
  int* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_PROCESS, &value, &found);
  return *value;
}

static int step(void) {
  const int before = process();
  MPI_Migrate();
  return process() != before;
}

static void* map(size_t n, int flags) {
  void* const place = mmap(NULL, n, kAccess, flags, -1, 0);
  if (place == MAP_FAILED) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return place;
}

static size_t size_of(int piece) { return (size_t)1000 << (4 * piece); } /* 1 kB to 4 MB */

static const long* map_file(size_t n, int kind, int file) {
  const long* const place = mmap(NULL, n, PROT_READ, kind, file, 0);
  if (place == MAP_FAILED) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return place;
}

/* Each rank writes a file and reads it by two mappings. Returns the faults; the moves go to `moves`. */
static long check_files(int rank, long* moves) {
  enum { kWords = 100000, kBytes = kWords * sizeof(long) };
  long faults = 0;
  char name[64];
  snprintf(name, sizeof name, "mappings_moving.%d.%d", (int)getppid(), rank);
  const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
  faults += file < 0 || ftruncate(file, kBytes) != 0;
  const long* const shared = map_file(kBytes, MAP_SHARED, file);
  const long* const own = map_file(kBytes, MAP_PRIVATE, file);
  for (int k = 1; k <= kSteps; ++k) {
    const long word = 1000 * rank + k;
    for (int w = 0; w < kWords; w += 1000) {
      faults += pwrite(file, &word, sizeof word, (off_t)(w * sizeof(long))) != sizeof word;
    }
    *moves += step();
    for (int w = 0; w < kWords; w += 1000) {
      faults += shared[w] != word || own[w] != word || shared[w + 1] != 0;
    }
  }
  munmap((void*)shared, kBytes);
  munmap((void*)own, kBytes);
  close(file);
  unlink(name);
  return faults;
}

int main(int argc, char** argv) {
  int rank;
  long local[4] = {0}, all[4];
  long* pieces[kPieces];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < kPieces; ++i) {
    pieces[i] = map(size_of(i), MAP_PRIVATE | MAP_ANONYMOUS);
  }
  for (int k = 0; k < kSteps; ++k) {
    for (int i = 0; i < kPieces; ++i) {
      const size_t words = size_of(i) / sizeof(long);
      for (size_t w = 0; w < words; w += 1 + words / 1000) {
        local[0] += pieces[i][w] != (k == 0 ? 0 : 100 * rank + k - 1);
        pieces[i][w] = 100 * rank + k;
      }
    }
    local[1] += step();
  }
  local[0] += check_files(rank, &local[3]);
  void* const shared = map(1000, MAP_SHARED | MAP_ANONYMOUS);
  for (int k = 0; k < kSteps; ++k) {
    local[2] += step();
  }
  munmap(shared, 1000);
  for (int i = 0; i < kPieces; ++i) {
    munmap(pieces[i], size_of(i));
  }
  MPI_Reduce(local, all, 4, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%ld faults; to other processes: %ld with plain memory, %ld with files, %ld with shared\n", all[0], all[1],
           all[3], all[2]);
  }
  MPI_Finalize();
  return 0;
}
