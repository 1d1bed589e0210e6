/* Communicators and collectives of all kinds, wherever ranks live. Prints "all right, bits <sum>": the bits of results
 * that depend on the order of combining. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "weft.h"

enum { MOST = 20000 };
static int rank, size;
static uint64_t bits = 1469598103934665603u;

#define CHECK(condition)                                                   \
  if (!(condition)) {                                                      \
    fprintf(stderr, "rank %d: line %d: %s\n", rank, __LINE__, #condition); \
    MPI_Abort(MPI_COMM_WORLD, 1);                                          \
  }

static void note(const double* values, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t word;
    memcpy(&word, &values[i], sizeof word);
    bits = (bits ^ word) * 1099511628211u;
  }
}

/* Neither associative nor commutative. */
static void decay(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    ((double*)inout)[i] += 0.75 * ((double*)in)[i];
  }
}

static void reductions(MPI_Comm comm, MPI_Op op) {
  static double in[MOST], out[MOST];
  const int counts[] = {1, 7, 600, MOST};
  int me, members;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  for (int c = 0; c < 4; ++c) {
    const int n = counts[c];
    for (int i = 0; i < n; ++i) {
      in[i] = 1.0 / (3 + me * 7 + i % 100) * ((i + me) % 2 ? 1e6 : -1e-3);
    }
    MPI_Allreduce(in, out, n, MPI_DOUBLE, op, comm);
    note(out, n);
    memset(out, 0, sizeof out);
    MPI_Reduce(in, out, n, MPI_DOUBLE, op, n % members, comm);
    note(out, n);
    MPI_Scan(in, out, n, MPI_DOUBLE, op, comm);
    note(out, n);
    MPI_Reduce_scatter_block(in, out, n / members, MPI_DOUBLE, op, comm);
    note(out, n / members);
  }
}

static void blocks(MPI_Comm comm) {
  int me, members;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  int* const out = malloc(sizeof(int) * 3000 * (size_t)members);
  int* const in = malloc(sizeof(int) * 3000 * (size_t)members);
  for (int n = 1; n <= 3000; n += 2999) {
    for (int root = 0; root < members; ++root) {
      for (int i = 0; i < n; ++i) {
        out[i] = me * 10000 + i;
      }
      MPI_Gather(out, n, MPI_INT, in, n, MPI_INT, root, comm);
      for (int i = 0; me == root && i < n * members; ++i) {
        CHECK(in[i] == i / n * 10000 + i % n);
      }
      MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, comm);
      CHECK(out[n - 1] == me * 10000 + n - 1);
      MPI_Bcast(in, n * members, MPI_INT, root, comm);
      CHECK(in[n * members - 1] == (members - 1) * 10000 + n - 1);
    }
    memset(in, 0, sizeof(int) * (size_t)(n * members));
    MPI_Allgather(out, n, MPI_INT, in, n, MPI_INT, comm);
    CHECK(in[n * members - 1] == (members - 1) * 10000 + n - 1);
    for (int i = 0; i < n * members; ++i) {
      out[i] = me * 100 + i / n;
    }
    MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, comm);
    for (int i = 0; i < n * members; ++i) {
      CHECK(in[i] == i / n * 100 + me);
    }
  }
  free(in);
  free(out);
}

static void everything(MPI_Comm comm) {
  MPI_Op own;
  MPI_Op_create(decay, 0, &own);
  reductions(comm, MPI_SUM);
  reductions(comm, own);
  MPI_Op_free(&own);
  blocks(comm);
  MPI_Barrier(comm);
}

static void parts(int colors) {
  MPI_Comm part, copy;
  MPI_Comm_split(MPI_COMM_WORLD, colors > 0 ? rank % colors : rank * -colors / size, -rank, &part);
  MPI_Comm_dup(part, &copy);
  everything(copy);
  MPI_Migrate();
  everything(part);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

static void two_groups(void) {
  const int odd = rank % 2;
  MPI_Comm local, inter, merged;
  MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - odd, 3, &inter);
  int mine = rank, sum = 0, expected = 0;
  for (int r = 1 - odd; r < size; r += 2) {
    expected += r;
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == expected);
  MPI_Barrier(inter);
  MPI_Intercomm_merge(inter, odd, &merged);
  everything(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
}

static void grid(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 1}, remain[2] = {0, 1}, here[4];
  MPI_Comm cart, row;
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Cart_sub(cart, remain, &row);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, here, 1, MPI_INT, cart);
  for (int d = 0; d < 2; ++d) {
    int source, dest;
    MPI_Cart_shift(cart, d, 1, &source, &dest);
    CHECK(here[2 * d] == source && here[2 * d + 1] == dest);
  }
  everything(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&cart);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 3; ++round) {
    everything(MPI_COMM_WORLD);
    parts(2);
    parts(-2); /* blocks of neighbours: some live in one process */
    if (size > 1) {
      two_groups();
    }
    grid();
    MPI_Migrate();
  }
  uint64_t all = 0;
  MPI_Allreduce(&bits, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("all right, bits %016llx\n", (unsigned long long)all);
  }
  MPI_Finalize();
  return 0;
}
