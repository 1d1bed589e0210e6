/* opens_plugin FILE: every rank calls its own copy of a plugin, before and after moves. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

typedef int Count(int);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  Count* count = plugin == NULL ? NULL : (Count*)dlsym(plugin, "plugin_count");
  if (count == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
  }
  for (int step = 1; step <= 4; ++step) {
    if (count(rank) != step * rank || dlsym(plugin, "plugin_count") != (void*)count) MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Migrate();
  }
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("all plugins right\n");
  MPI_Finalize();
  return 0;
}
