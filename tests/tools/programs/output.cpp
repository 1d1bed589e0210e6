// As output.f90, by the functions of C and C++: printf, wprintf on standard error, iostreams.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <string>

// Other writers to standard output must come out in the order of the calls.
static void print_with_others() {
  const int copy = ::dup(1);
  for (int i = 0; i < 9; i += 3) {
    std::printf("%d by printf\n", i);
    if (std::system(("echo " + std::to_string(i + 1) + " by a child").c_str()) != 0) {
      std::puts("no child");
    }
    std::printf("%d before a copy\n", i + 2);
    ::dprintf(copy, "%d by a copy\n", i + 2);
  }
}

static void end_by(const std::string& how) {
  int received = 0;
  volatile bool forever = how == "forever";
  if (how == "stop") {
    std::exit(3);
  } else if (how == "_exit") {
    ::_exit(3);
  } else if (how == "others") {
    print_with_others();
  } else if (how == "ampi") {
    std::puts("0 by puts");
    AMPI_Print("1 by AMPI_Print");
    std::puts("2 by puts");
  } else if (how == "flood") {
    for (;;) {
      std::puts("a line");
    }
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
    std::printf(argc > 1 && std::string("others") == argv[1] ? "" : "unfinished");
    end_by(argc > 1 ? argv[1] : "");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
