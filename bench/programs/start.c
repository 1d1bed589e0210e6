/* Starts, calls a barrier, ends: its run time is the time to start and end a job.
 * prints: process_private_kib <RssAnon of rank 0's process while all ranks live> */
#include <mpi.h>

#include "memory.h"

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("process_private_kib %ld\n", private_kib());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
