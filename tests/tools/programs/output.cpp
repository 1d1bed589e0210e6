// As output.f90, by the ways of C and C++: printf, wprintf on standard error, iostreams.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <string>

static void end_by(const std::string& how) {
  int received = 0;
  volatile bool forever = how == "forever";
  if (how == "stop") {
    std::exit(3);
  } else if (how == "_exit") {
    ::_exit(3);
  } else if (how == "abort") {
    std::abort();
  } else if (how == "crash") {
    std::raise(SIGSEGV);
  } else if (how == "MPI_Abort") {
    MPI_Abort(MPI_COMM_WORLD, 3);
  } else if (how == "error") {
    MPI_Send(&received, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  } else if (how == "deadlock") {
    MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  while (forever) {
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::printf("first of %d\n", rank);
  std::cout << "second of " << rank << '\n';
  std::fwprintf(stderr, L"third of %d\n", rank);
  std::clog << " fourth of           " << rank << '\n';
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("unfinished");
    end_by(argc > 1 ? argv[1] : "");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
