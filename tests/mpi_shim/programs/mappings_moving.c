/* Ranks with memory of mmap() that move. While a rank has a mapping that is not plain memory it stays in its process.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

int main(int argc, char** argv) {
  int rank;
  long local[3] = {0}, all[3];
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
  void* const shared = map(1000, MAP_SHARED | MAP_ANONYMOUS);
  for (int k = 0; k < kSteps; ++k) {
    local[2] += step();
  }
  munmap(shared, 1000);
  for (int i = 0; i < kPieces; ++i) {
    munmap(pieces[i], size_of(i));
  }
  MPI_Reduce(local, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%ld faults; to other processes: %ld with plain memory, %ld with shared\n", all[0], all[1], all[2]);
  }
  MPI_Finalize();
  return 0;
}
