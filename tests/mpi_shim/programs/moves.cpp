// What a C++ rank takes along on its moves: globals, thread-local variables, its heap, objects, exceptions under way,
// pending receives. Prints "all right" once.
#include <csetjmp>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi.h"
#include "weft.h"

namespace {

int global = 7;
thread_local int local = 5;
int rank, size, faults;

struct Base {
  virtual ~Base() = default;
  virtual int value() const = 0;
};
struct Derived final : Base {
  explicit Derived(int of) : of(of) {}
  int value() const override { return 3 * of; }
  int of;
};

void check(bool holds, const char* what) {
  if (!holds) {
    ++faults;
    std::fprintf(stderr, "rank %d: %s\n", rank, what);
  }
}

int deep(int depth) {
  volatile char pad[256] = {static_cast<char>(depth)};
  if (depth == 0) {
    MPI_Migrate();
    throw std::runtime_error("thrown by rank " + std::to_string(rank));
  }
  return deep(depth - 1) + pad[0];
}

void exceptions() {
  try {
    deep(20);
  } catch (const std::runtime_error& error) {
    MPI_Migrate();
    check(error.what() == "thrown by rank " + std::to_string(rank), "an exception that was being handled");
    try {
      throw;
    } catch (const std::exception& again) {
      check(again.what() == "thrown by rank " + std::to_string(rank), "an exception thrown again");
    }
  }
}

void jumps() {
  std::jmp_buf place;
  volatile int seen = 0;
  if (setjmp(place) == 0) {
    MPI_Migrate();
    seen = 1;
    std::longjmp(place, 1);
  }
  check(seen == 1, "longjmp() to before the move");
}

// A receive that is posted, one that waits for all sources, a large send, a synchronous one, a probed message.
void messages(int round) {
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  std::vector<int> large(100000, rank + round), got(100000);
  int small = 100 * rank + round, any = -1, posted = -1, probed = -1;
  MPI_Request requests[4];
  MPI_Irecv(&posted, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&any, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(large.data(), 100000, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Issend(&small, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[3]);
  MPI_Send(&small, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
  MPI_Message message;
  MPI_Mprobe(from, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Migrate();
  MPI_Mrecv(&probed, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Send(&small, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
  MPI_Send(&small, 1, MPI_INT, to, 4, MPI_COMM_WORLD);
  int synchronous = -1;
  MPI_Recv(&synchronous, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(got.data(), 100000, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  const int expected = 100 * from + round;
  check(posted == expected && any == expected && synchronous == expected && probed == expected, "a short message");
  check(got == std::vector<int>(100000, from + round), "a long message");
}

void rounds() {
  std::map<int, std::unique_ptr<std::string>> words;
  std::vector<std::unique_ptr<Base>> objects;
  std::ostringstream text;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Datatype column;
  MPI_Type_vector(4, 1, 8, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int round = 0; round < 6; ++round) {
    words[round] = std::make_unique<std::string>(100, static_cast<char>('a' + round));
    objects.push_back(std::make_unique<Derived>(round));
    text << round << ' ';
    ++local;
    global += rank;
    exceptions();
    jumps();
    messages(round);
    for (const auto& [key, word] : words) {
      check(*word == std::string(100, static_cast<char>('a' + key)), "a string in a map");
    }
    check(objects.back()->value() == 3 * round, "a virtual call");
    check(local == 6 + round && global == 7 + (round + 1) * rank, "a variable");
    double sum = 0, mine = rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, half);
    double expected = 0;
    for (int r = rank % 2; r < size; r += 2) {
      expected += r;
    }
    check(sum == expected, "a reduction in a communicator that was made before");
    double matrix[32] = {}, received[4] = {};
    for (int i = 0; i < 4; ++i) {
      matrix[8 * i] = rank + i;
    }
    MPI_Sendrecv(matrix, 1, column, rank, 9, received, 4, MPI_DOUBLE, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(received[3] == rank + 3, "a datatype that was made before");
  }
  check(text.str() == "0 1 2 3 4 5 ", "a stream");
  MPI_Type_free(&column);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  rounds();
  int all = 0;
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::puts(all == 0 ? "all right" : "SPOILT");
  }
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
