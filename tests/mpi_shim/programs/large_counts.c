// Large-count forms: right for counts that fit an int; a count that does not is done or refused by name, never cut.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void expect(const char* what, long long found, long long wanted) {
  if (found == wanted) return;
  fprintf(stderr, "%s: found %lld, expected %lld\n", what, found, wanted);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long long sum = 0, mine = rank + 1;
  MPI_Allreduce_c(&mine, &sum, (MPI_Count)1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  expect("sum", sum, (long long)size * (size + 1) / 2);

  MPI_Count* counts = malloc(sizeof *counts * (size_t)size);
  MPI_Aint* displs = malloc(sizeof *displs * (size_t)size);
  long long* all = malloc(sizeof *all * (size_t)size * 2);
  for (int i = 0; i < size; ++i) {
    counts[i] = 1;
    displs[i] = 2 * i;
  }
  MPI_Allgatherv_c(&mine, 1, MPI_LONG_LONG, all, counts, displs, MPI_LONG_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) expect("gathered", all[2 * i], i + 1);
  // The arrays count at the root alone; elsewhere they may point nowhere.
  const MPI_Count* root_counts = rank == 0 ? counts : (const MPI_Count*)8;
  const MPI_Aint* root_displs = rank == 0 ? displs : (const MPI_Aint*)8;
  MPI_Gatherv_c(&mine, 1, MPI_LONG_LONG, all, root_counts, root_displs, MPI_LONG_LONG, 0, MPI_COMM_WORLD);

  MPI_Status status;
  MPI_Count count = 0;
  MPI_Sendrecv_c(&mine, 1, MPI_LONG_LONG, (rank + 1) % size, 0, &sum, 1, MPI_LONG_LONG, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, &status);
  MPI_Get_count_c(&status, MPI_LONG_LONG, &count);
  expect("count", count, 1);
  expect("received", sum, (rank + size - 1) % size + 1);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int class = MPI_SUCCESS;
  const int error = MPI_Allreduce_c(MPI_IN_PLACE, &sum, (MPI_Count)-1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Error_class(error, &class);
  expect("negative count", class, MPI_ERR_COUNT);
  free(counts);
  free(displs);
  free(all);
  MPI_Finalize();
  if (rank == 0) printf("all counts right\n");
  return 0;
}
