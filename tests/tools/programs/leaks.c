/* Leaves on every rank what --check names: nine receives whose request is overwritten, a communicator and a message. */
#include <mpi.h>

static int words[9];
static volatile int tags = 9; /* or the compiler may unroll the loop: nine places */

__attribute__((noinline)) static void receive_all(int from) {
  MPI_Request request = MPI_REQUEST_NULL;
  for (int tag = 0; tag < tags; ++tag) {
    MPI_Irecv(&words[tag], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &request); /* overwrites */
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm row = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &row); /* not freed */
  receive_all((rank + size - 1) % size);
  for (int tag = 0; tag < 9; ++tag) {
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
  }
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 99, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
