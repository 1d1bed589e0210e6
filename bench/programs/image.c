/* Measures how long all ranks stand still for an image in memory: milliseconds until the last rank continues.
 *   image MIB PERCENT ROUNDS [scattered]
 * Each rank has MIB MiB. Between two images it writes PERCENT of them: the first ones, or one page in so many
 * (scattered). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) {
    fprintf(stderr, "usage: image MIB PERCENT ROUNDS [scattered]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const size_t pages = (size_t)atoi(argv[1]) * (1 << 20) / PAGE;
  const int percent = atoi(argv[2]), rounds = atoi(argv[3]), scattered = argc > 4;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const memory = aligned_alloc(PAGE, pages * PAGE);
  memset(memory, 1, pages * PAGE);
  double *const stands = malloc(rounds * sizeof *stands), *const writes = malloc(rounds * sizeof *writes);
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (size_t page = 0; page < pages; ++page) {
      if (scattered ? page * percent / 100 != (page + 1) * percent / 100 : page * 100 < pages * percent) {
        memset(memory + page * PAGE, round, PAGE);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    writes[round] = MPI_Wtime() - begin;
    MPI_Info how;
    MPI_Info_create(&how);
    MPI_Info_set(how, "ampi_checkpoint", "in_memory");
    const double stop = MPI_Wtime();
    AMPI_Migrate(how);
    MPI_Barrier(MPI_COMM_WORLD);
    stands[round] = MPI_Wtime() - stop;
    MPI_Info_free(&how);
    if (rank == 0) {
      printf("%d: stands %.1f ms, writes %.1f ms\n", round, 1e3 * stands[round], 1e3 * writes[round]);
      fflush(stdout);
    }
  }
  if (rank == 0 && rounds > 4) {
    qsort(stands + 4, rounds - 4, sizeof *stands, compare);
    qsort(writes + 4, rounds - 4, sizeof *writes, compare);
    printf("medians without the first four: stands %.1f ms, writes %.1f ms\n", 1e3 * stands[4 + (rounds - 4) / 2],
           1e3 * writes[4 + (rounds - 4) / 2]);
  }
  free(memory);
  free(stands);
  free(writes);
  MPI_Finalize();
  return 0;
}
