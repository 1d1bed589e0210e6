// A program that profiles itself: its own MPI_Send and MPI_Finalize stand before the library's and call PMPI_.
#include <mpi.h>
#include <stdio.h>

static int sends = 0;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (sends != rank + 1) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0) printf("counted %d sends\n", sends);
  return PMPI_Finalize();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i <= rank; ++i) {
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, rank, i, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, rank, i, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return got == rank ? 0 : 4;
}
