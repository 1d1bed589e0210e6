/* One collective operation with buffers of a given size, one call after the other without pause.
 * collective_sizes <operation> <bytes> [seconds]   prints: collective_us <value>
 * Bytes are those of OSU's benchmarks: of the whole vector for allreduce, bcast and reduce_scatter, for each pair of
 * ranks for alltoall, of each rank's part for allgather. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

static int count; /* doubles */
static double* from;
static double* to;
static int* parts; /* of reduce_scatter, by rank */

static void allreduces(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void bcasts(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Bcast(from, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}

static void alltoalls(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Alltoall(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

static void allgathers(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Allgather(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, MPI_COMM_WORLD);
  }
}

static void reduce_scatters(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Reduce_scatter(from, to, parts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

struct operation {
  const char* name;
  void (*body)(int n);
  int from_all, to_all; /* does a buffer hold a part for every rank? */
};

static const struct operation operations[] = {
    {"allreduce", allreduces, 0, 0},
    {"bcast", bcasts, 0, 0},
    {"alltoall", alltoalls, 1, 1},
    {"allgather", allgathers, 0, 1},
    {"reduce_scatter", reduce_scatters, 0, 0},
};

static const struct operation* find(const char* name) {
  for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); ++i) {
    if (strcmp(operations[i].name, name) == 0) {
      return &operations[i];
    }
  }
  return NULL;
}

static double* buffer(int holds_all, int ranks, double value) {
  const size_t size = (size_t)count * (holds_all ? ranks : 1);
  double* made = malloc(size * sizeof(double));
  if (!made) {
    fprintf(stderr, "no memory for %zu doubles\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t i = 0; i < size; ++i) {
    made[i] = value;
  }
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const struct operation* chosen = argc > 2 ? find(argv[1]) : NULL;
  count = argc > 2 ? atoi(argv[2]) / (int)sizeof(double) : 0;
  if (!chosen || count <= 0) {
    fprintf(stderr,
            "usage: collective_sizes allreduce|bcast|alltoall|allgather|reduce_scatter <bytes, 8 or more> [seconds]\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  from = buffer(chosen->from_all, ranks, 1);
  to = buffer(chosen->to_all, ranks, 0);
  parts = malloc(sizeof(int) * (size_t)ranks);
  for (int i = 0; i < ranks; ++i) {
    parts[i] = count / ranks + (i < count % ranks ? 1 : 0);
  }

  const double each = seconds_per_iteration(chosen->body, argc > 3 ? atof(argv[3]) : 0.2);
  const double expected = chosen->body == allreduces || chosen->body == reduce_scatters ? ranks : 1;
  const double found = chosen->body == bcasts ? from[count - 1] : to[0];
  if (found != expected && !(chosen->body == reduce_scatters && parts[rank] == 0)) {
    fprintf(stderr, "%s: rank %d has %g, not %g\n", argv[1], rank, found, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0) {
    printf("collective_us %.4f\n", each * 1e6);
  }
  free(from);
  free(to);
  free(parts);
  MPI_Finalize();
  return 0;
}
