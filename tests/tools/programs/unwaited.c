/* Sends and receives that are not completed before MPI_Finalize: an error that other MPIs tolerate. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { kMany = 50, kWords = 10000 };
static int out[kWords], in[kWords], never[kWords];

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const struct timespec moment = {0, 20000000};
    for (int i = 0; i < kMany; ++i) {
      MPI_Issend(out, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
      MPI_Isend(out, kWords, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
    }
    MPI_Isend(out, kWords, MPI_INT, 1, 3, MPI_COMM_WORLD, &request); /* no receive takes it */
    nanosleep(&moment, NULL);                                        /* the others arrive first */
  } else if (rank == 1) {
    MPI_Irecv(never, kWords, MPI_INT, 0, 4, MPI_COMM_WORLD, &request); /* no message comes */
    for (int i = 0; i < kMany; ++i) {
      MPI_Recv(in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(in, kWords, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  printf("rank %d ended well\n", rank);
  return 0;
}
