// Rank 1 fails, by an exception or otherwise, two calls below main: throws <how>. The line of fail() that fails has
// `how` in a comment or string.
#include <mpi.h>

#include <cassert>
#include <cstdio>
#include <stdexcept>
#include <string>

static void (*volatile nothing)() = nullptr;

[[gnu::noinline]] static int fail(const std::string& how) {
  if (how == "exception") {
    throw std::runtime_error("exception");
  }
  if (how == "assertion") {
    assert(how != "assertion");
  }
  if (how == "null") {
    nothing();  // null
    std::puts("back");
  }
  if (how == "buffer") {
    MPI_Ssend(reinterpret_cast<void*>(how.size()), 100000, MPI_INT, 0, 0, MPI_COMM_WORLD);  // buffer
    std::puts("back");
  }
  return static_cast<int>(how.size());
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    std::printf("%d\n", fail(argv[1]));
  }
  MPI_Recv(&rank, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
