// start.c as a C++ program: every rank has its own C++ library, global objects and streams.
#include <mpi.h>

#include <iostream>
#include <map>
#include <string>

#include "memory.h"

namespace {
std::map<std::string, int> table = {{"a global object", 1}, {"with a constructor", 2}};
}

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  table["rank"] = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    std::cout << "process_private_kib " << private_kib() << std::endl;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return table["rank"] == rank ? 0 : 1;
}
