// The same in C++: a global object with a constructor, a thread_local, an exception that is thrown and caught.
#include <mpi.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
std::vector<int> numbers(3, 7);
thread_local int marks = 5;
}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  numbers.push_back(rank);
  marks += rank;
  std::string caught = "nothing";
  try {
    MPI_Barrier(MPI_COMM_WORLD);
    throw std::runtime_error("rank " + std::to_string(rank));
  } catch (const std::exception& error) {
    MPI_Barrier(MPI_COMM_WORLD);  // may wake on another thread
    caught = error.what();
  }
  const bool good =
      numbers.size() == 4 && numbers.back() == rank && marks == 5 + rank && caught == "rank " + std::to_string(rank);
  std::cout << "hello from C++: rank " << rank << " of " << size << (good ? "" : " SPOILT") << std::endl;
  MPI_Finalize();
  return good ? 0 : 1;
}
