// Windows whose ranks move between processes: memory, epochs, held locks and pending operations go along. Prints "all
// right" once.
#include <cstdio>
#include <numeric>
#include <vector>

#include "mpi.h"
#include "weft.h"

namespace {

int rank, size, faults;

void check(bool holds, const char* what) {
  if (!holds) {
    ++faults;
    std::fprintf(stderr, "rank %d: %s\n", rank, what);
  }
}

// A halo exchange in memory of the window's own, by fences and by posts.
void halos() {
  double* cells = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
  const int left = (rank + size - 1) % size;
  const int right = (rank + 1) % size;
  int ranks[] = {left, right};
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group both = MPI_GROUP_NULL;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, left == right ? 1 : 2, ranks, &both);
  for (int round = 0; round < 8; ++round) {
    const double mine = 10.0 * round + rank;
    const bool by_fence = round % 2 == 0 || size < 3;
    if (by_fence) {
      MPI_Win_fence(0, win);
    } else {
      MPI_Win_post(both, 0, win);
      MPI_Win_start(both, 0, win);
    }
    MPI_Put(&mine, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Put(&mine, 1, MPI_DOUBLE, left, 3, 1, MPI_DOUBLE, win);
    if (by_fence) {
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    } else {
      MPI_Win_complete(win);
      MPI_Win_wait(win);
    }
    check(cells[0] == 10.0 * round + left && cells[3] == 10.0 * round + right, "a halo");
    MPI_Migrate();
  }
  MPI_Group_free(&all);
  MPI_Group_free(&both);
  MPI_Win_free(&win);
}

// Counters, and long puts that are pending in a move, in an epoch that stays open.
void open_epoch() {
  constexpr int kMany = 40000;
  std::vector<long> memory(kMany + 1, 0);
  std::vector<long> values(kMany);
  std::vector<long> back(kMany);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(long)), sizeof(long), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  const int next = (rank + 1) % size;
  const long one = 1;
  for (int round = 1; round <= 5; ++round) {
    std::iota(values.begin(), values.end(), 1000L * rank + round);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rput(values.data(), kMany, MPI_LONG, next, 0, kMany, MPI_LONG, win, &request);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, kMany, 1, MPI_LONG, MPI_SUM, win);
    MPI_Migrate();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win);
    MPI_Get(back.data(), kMany, MPI_LONG, next, 0, kMany, MPI_LONG, win);
    MPI_Win_flush_local(next, win);
    check(back == values, "a long put and its get");
    MPI_Barrier(MPI_COMM_WORLD);
    check(rank != 0 || memory[kMany] == static_cast<long>(round) * size, "a counter");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// A lock that is held while its holder and its target move.
void held_lock() {
  int value = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int holder = size - 1;
  if (rank == holder) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  }
  MPI_Migrate();
  if (rank == holder) {
    const int five = 5;
    MPI_Put(&five, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
  } else {
    int found = 0;
    while (found != 5) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Get(&found, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
      MPI_Win_unlock(0, win);
      check(found == 0 || found == 5, "what a lock protects");
    }
  }
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  halos();
  open_epoch();
  held_lock();
  int all = 0;
  MPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    std::puts(all == 0 ? "all right" : "SPOILT");
  }
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
