#include <mpi.h>

int part_call(void);

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  part_call();
  MPI_Barrier(MPI_COMM_WORLD);
  const int calls = part_call();
  MPI_Finalize();
  return calls == 2 * rank ? 0 : 1;
}
