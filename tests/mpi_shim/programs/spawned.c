// Spawned by spawn.c: counts its arguments, with the help of a thread-local variable and its number of the program.
#include <mpi.h>

static _Thread_local int count = 10;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  int *number, found;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  count = *number == 0 ? count * argc : count + argc;
  MPI_Reduce(&count, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
  MPI_Comm_disconnect(&parent);
  MPI_Finalize();
  return 0;
}
