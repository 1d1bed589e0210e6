/* Collective calls with a request, polled and persistent, and persistent messages around a ring, in each of argv[1]
   steps. */
#include <mpi.h>
#include <stdlib.h>

static double work(int n) {
  double sum = 0.0;
  for (int i = 1; i < n; ++i) {
    sum += 1.0 / i;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double values[200] = {0};
  double sums[200];
  double total = 0.0;
  MPI_Request messages[2];
  MPI_Request sum;
  MPI_Send_init(&values[0], 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &messages[0]);
  MPI_Recv_init(&values[1], 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &messages[1]);
  MPI_Allreduce_init(values, sums, 200, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &sum);
  for (int step = argc > 1 ? atoi(argv[1]) : 1; step > 0; --step) {
    MPI_Request barrier;
    MPI_Request row;
    int done = 0;
    MPI_Startall(2, messages);
    values[2] = work(100000 * (rank + 1));
    MPI_Waitall(2, messages, MPI_STATUSES_IGNORE);
    MPI_Start(&sum);
    MPI_Iallreduce(&values[2], &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &row);
    values[0] = work(100000);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    while (!done) {
      MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&row, MPI_STATUS_IGNORE);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&messages[0]);
  MPI_Request_free(&messages[1]);
  MPI_Request_free(&sum);
  MPI_Finalize();
  return total < 0.0;
}
