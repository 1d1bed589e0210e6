/* Rank 1 fails after a barrier: crash <how>. The others wait for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static int deeper(int depth) {
  volatile char frame[1000];
  frame[depth % 1000] = (char)depth;
  return deeper(depth + 1) + frame[depth % 1000];
}

__attribute__((noinline)) static void store_at(volatile int* place) { *place = 1; }

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d, unfinished line", rank);
  if (rank == 1) {
    const char* how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "stack") == 0) {
      return deeper(0);
    } else if (strcmp(how, "memory") == 0) {
      store_at((int*)16);
    } else if (strcmp(how, "abort") == 0) {
      abort();
    } else if (strcmp(how, "spin") == 0) {
      puts(": spins");
      fflush(stdout);
      for (volatile int i = 0; i == 0;) {
      }
    } else if (strcmp(how, "exit") == 0) {
      exit(3);
    } else if (strcmp(how, "mpi") == 0) {
      MPI_Abort(MPI_COMM_WORLD, 7);
    }
  }
  MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
