/* Rank 0 streams windows of messages to rank 1, which answers each window with a short one (the method of osu_bw).
 * bandwidth [bytes] [window] [seconds]   prints: bandwidth_MB_per_s <value>, in 10^6 bytes a second */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { kMaxWindow = 256 };

static int rank;
static int bytes;
static int window;
static char* buffer;
static MPI_Request requests[kMaxWindow];

static void stream(int n) {
  char answer = 0;
  for (int i = 0; i < n; ++i) {
    if (rank == 0) {
      for (int j = 0; j < window; ++j) {
        MPI_Isend(buffer, bytes, MPI_CHAR, 1, 100, MPI_COMM_WORLD, &requests[j]);
      }
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&answer, 1, MPI_CHAR, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      for (int j = 0; j < window; ++j) {
        MPI_Irecv(buffer, bytes, MPI_CHAR, 0, 100, MPI_COMM_WORLD, &requests[j]);
      }
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Send(&answer, 1, MPI_CHAR, 0, 101, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
  window = argc > 2 ? atoi(argv[2]) : 64;
  if (window > kMaxWindow) {
    window = kMaxWindow;
  }
  const double seconds = argc > 3 ? atof(argv[3]) : 0.5;
  buffer = malloc((size_t)bytes);
  memset(buffer, rank, (size_t)bytes);
  const double each = seconds_per_iteration(stream, seconds);
  if (rank == 0) {
    printf("bandwidth_MB_per_s %.1f\n", 1e-6 * bytes * window / each);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
