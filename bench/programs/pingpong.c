/* Half the round trip of a message between ranks 0 and 1 (the method of osu_latency).
 * pingpong [bytes] [seconds]   prints: latency_us <value> */
#include <stdio.h>
#include <stdlib.h>

#include "timing.h"

static int rank;
static int bytes;
static char* out;
static char* in;

static void exchange(int n) {
  for (int i = 0; i < n; ++i) {
    if (rank == 0) {
      MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = argc > 1 ? atoi(argv[1]) : 8;
  const double seconds = argc > 2 ? atof(argv[2]) : 0.2;
  out = calloc(1, (size_t)bytes + 1);
  in = calloc(1, (size_t)bytes + 1);
  const double each = seconds_per_iteration(exchange, seconds);
  if (rank == 0) {
    printf("latency_us %.4f\n", each / 2 * 1e6);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
