/* Calls OpenMP's library as clang's code does: with the number that the thread had where the function began. Other
   threads run the rank since. */
#include <mpi.h>
#include <stdio.h>

int __kmpc_global_thread_num(const void* place);
int __kmpc_push_num_threads(const void* place, int number, int threads);
int __kmpc_taskred_init(int number, int count, void* data);
int __kmpc_omp_taskwait_deps_51(const void* place, int number, ...);

int main(int argc, char** argv) {
  const void* const place = argv;
  const int number = __kmpc_global_thread_num(place);
  int size, faults = 0, moved = 0, all_faults, all_moved;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 20; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    moved += __kmpc_global_thread_num(place) != number;
    faults += __kmpc_push_num_threads(place, number, 3) != 1;
    faults += __kmpc_taskred_init(number, 3, (void*)4) != 1;
    faults += __kmpc_omp_taskwait_deps_51(place, number, 1, 2, 3, 4, 5, 6, 7, 8, 9) != 1;
  }
  MPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&moved, &all_moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%d faults, %s\n", all_faults, all_moved > 0 ? "on several threads" : "on one thread");
  }
  MPI_Finalize();
  return 0;
}
