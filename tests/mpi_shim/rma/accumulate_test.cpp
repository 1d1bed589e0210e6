// The accumulate calls: all operations, types with gaps, atomicity.
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "weft.h"

namespace weft::mpi_shim {
namespace {

class RmaAccumulate : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, RmaAccumulate, kSettings, name_of);

template <typename T>
MPI_Win make_window(std::vector<T>& memory) {
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(T)), sizeof(T), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &win);
  return win;
}

// Every operation on unsigned 32-bit numbers: all ranks call it, and the result does not depend on the order.
TEST_P(RmaAccumulate, EveryOperation) {
  const std::vector<MPI_Op> ops{MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_BAND,
                                MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  run(5, [&](int rank, int size) {
    constexpr std::size_t kLength = 100;
    for (const MPI_Op op : ops) {
      std::vector<std::uint32_t> memory(kLength);
      std::iota(memory.begin(), memory.end(), 5U);
      std::vector<std::uint32_t> expected = memory;
      MPI_Win win = make_window(memory);
      const auto values_of = [&](int r) {
        std::vector<std::uint32_t> values(kLength);
        std::iota(values.begin(), values.end(), static_cast<std::uint32_t>(3 * r));
        return values;
      };
      MPI_Win_fence(0, win);
      const std::vector<std::uint32_t> mine = values_of(rank);
      for (int to = 0; to < size; ++to) {
        MPI_Accumulate(mine.data(), kLength, MPI_UINT32_T, to, 0, kLength, MPI_UINT32_T, op, win);
      }
      MPI_Win_fence(0, win);
      for (int r = 0; r < size; ++r) {
        MPI_Reduce_local(values_of(r).data(), expected.data(), kLength, MPI_UINT32_T, op);
      }
      EXPECT_EQ(memory, expected);
      MPI_Win_free(&win);
    }
  });
}

// Values that are not contiguous at the target, more than fit into one message.
TEST_P(RmaAccumulate, ElementsWithGaps) {
  run(4, [](int rank, int size) {
    constexpr int kCount = 20000;
    std::vector<double> memory(std::size_t{2} * kCount, 1.0);
    MPI_Win win = make_window(memory);
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_vector(kCount, 1, 2, MPI_DOUBLE, &gaps);
    MPI_Type_commit(&gaps);
    std::vector<double> values(kCount);
    std::iota(values.begin(), values.end(), rank);
    MPI_Win_fence(0, win);
    for (int to = 0; to < size; ++to) {
      MPI_Accumulate(values.data(), kCount, MPI_DOUBLE, to, 0, 1, gaps, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    bool right = true;
    for (int i = 0; i < kCount; ++i) {
      const auto at = 2 * static_cast<std::size_t>(i);
      right &= memory[at] == 1.0 + size * i + size * (size - 1) / 2.0;
      right &= memory[at + 1] == 1.0;
    }
    EXPECT_TRUE(right);
    std::vector<double> old(std::size_t{2} * kCount, -1.0);
    MPI_Win_fence(0, win);
    if (rank == 0) {
      MPI_Get_accumulate(values.data(), kCount, MPI_DOUBLE, old.data(), 1, gaps, size - 1, 0, 1, gaps, MPI_REPLACE,
                         win);
    }
    MPI_Win_fence(0, win);
    if (rank == 0) {
      EXPECT_EQ(old[2], 1.0 + size + size * (size - 1) / 2.0);
      EXPECT_EQ(old[3], -1.0);
    }
    if (rank == size - 1) {
      EXPECT_EQ(memory[std::size_t{2} * 77], 77.0);
    }
    MPI_Type_free(&gaps);
    MPI_Win_free(&win);
  });
}

// Pairs whose C structure has padding, alone and in derived types.
TEST_P(RmaAccumulate, PairsWithPadding) {
  struct Pair {
    double value;
    int place;
  };
  run(5, [](int rank, int size) {
    std::vector<Pair> memory(6, Pair{-1.0, -1});
    MPI_Win win = make_window(memory);
    MPI_Datatype two = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_DOUBLE_INT, &two);
    MPI_Type_commit(&two);
    const Pair mine[] = {{rank * 1.5, rank}, {-rank * 1.5, rank}};
    MPI_Win_fence(0, win);
    MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, 0, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC, win);
    MPI_Accumulate(mine, 1, two, 0, 2, 1, two, MPI_MINLOC, win);
    MPI_Win_fence(0, win);
    Pair old{0, 0};
    const Pair top{100.0, 100};
    if (rank == size - 1) {
      MPI_Fetch_and_op(&top, &old, MPI_DOUBLE_INT, 0, 5, MPI_MAXLOC, win);
    }
    MPI_Win_fence(0, win);
    if (rank == size - 1) {
      EXPECT_EQ(old.value, -1.0);
      EXPECT_EQ(old.place, -1);
    }
    if (rank == 0) {
      EXPECT_EQ(memory[0].value, (size - 1) * 1.5);
      EXPECT_EQ(memory[0].place, size - 1);
      EXPECT_EQ(memory[1].value, 0.0);
      EXPECT_EQ(memory[2].value, -1.0);
      EXPECT_EQ(memory[3].value, -(size - 1) * 1.5);
      EXPECT_EQ(memory[3].place, size - 1);
      EXPECT_EQ(memory[5].value, 100.0);
    }
    MPI_Type_free(&two);
    MPI_Win_free(&win);
  });
}

__extension__ using Quadruple = __float128;

// A type of MPI_Type_create_f90_real, and one derived from it.
TEST_P(RmaAccumulate, FortransLargestKinds) {
  run(3, [](int rank, int size) {
    std::vector<Quadruple> memory(3, 0.5);
    MPI_Win win = make_window(memory);
    MPI_Datatype real = MPI_DATATYPE_NULL, two = MPI_DATATYPE_NULL;
    MPI_Type_create_f90_real(33, MPI_UNDEFINED, &real);
    MPI_Type_contiguous(2, real, &two);
    MPI_Type_commit(&two);
    const Quadruple mine[] = {1.0 * rank, 2.0, 4.0};
    MPI_Win_fence(0, win);
    MPI_Accumulate(mine, 1, real, 0, 0, 1, real, MPI_SUM, win);
    MPI_Accumulate(mine + 1, 1, two, 0, 1, 1, two, MPI_SUM, win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
      EXPECT_TRUE(memory[0] == 0.5 + size * (size - 1) / 2.0);
      EXPECT_TRUE(memory[1] == 0.5 + 2.0 * size);
      EXPECT_TRUE(memory[2] == 0.5 + 4.0 * size);
    }
    MPI_Type_free(&two);
    MPI_Win_free(&win);
  });
}

TEST_P(RmaAccumulate, FetchAndOpCountsEveryCall) {
  run_all([](int rank, int size) {
    constexpr int kCalls = 30;
    std::vector<long> memory(1, 0);
    MPI_Win win = make_window(memory);
    std::vector<int> seen(static_cast<std::size_t>(kCalls * size), 0);
    MPI_Win_lock_all(0, win);
    const long one = 1;
    for (int i = 0; i < kCalls; ++i) {
      long before = -1;
      MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, win);
      MPI_Win_flush(0, win);
      ++seen.at(static_cast<std::size_t>(before));
    }
    MPI_Win_unlock_all(win);
    MPI_Allreduce(MPI_IN_PLACE, seen.data(), kCalls * size, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1)) << "rank " << rank;
    MPI_Win_free(&win);
  });
}

// A spin lock in one word: waiting ranks must let the others run.
TEST_P(RmaAccumulate, CompareAndSwapMakesALock) {
  run(5, [](int rank, int size) {
    std::vector<int> memory(2, 0);
    MPI_Win win = make_window(memory);
    MPI_Win_lock_all(0, win);
    const int free = 0;
    const int mine = rank + 1;
    for (int i = 0; i < 5; ++i) {
      int found = -1;
      while (found != free) {
        MPI_Compare_and_swap(&mine, &free, &found, MPI_INT, size - 1, 0, win);
        MPI_Win_flush(size - 1, win);
      }
      int count = 0;
      MPI_Get(&count, 1, MPI_INT, size - 1, 1, 1, MPI_INT, win);
      MPI_Win_flush(size - 1, win);
      ++count;
      MPI_Put(&count, 1, MPI_INT, size - 1, 1, 1, MPI_INT, win);
      MPI_Win_flush(size - 1, win);
      MPI_Accumulate(&free, 1, MPI_INT, size - 1, 0, 1, MPI_INT, MPI_REPLACE, win);
      MPI_Win_flush(size - 1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    int count = -1;
    MPI_Fetch_and_op(nullptr, &count, MPI_INT, size - 1, 1, MPI_NO_OP, win);
    MPI_Win_unlock_all(win);
    EXPECT_EQ(count, 5 * size);
    MPI_Win_free(&win);
  });
}

// Calls of one rank on one address take effect in program order.
TEST_P(RmaAccumulate, CallsOfOneRankKeepTheirOrder) {
  run(3, [](int rank, int size) {
    constexpr int kLong = 30000;
    std::vector<int> memory(kLong, 0);
    MPI_Win win = make_window(memory);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
      std::vector<int> values(kLong);
      for (int i = 1; i < 6; ++i) {
        values.assign(kLong, i);
        MPI_Accumulate(values.data(), kLong, MPI_INT, size - 1, 0, kLong, MPI_INT, MPI_REPLACE, win);
      }
      std::vector<int> old(kLong, -1);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Rget_accumulate(values.data(), kLong, MPI_INT, old.data(), kLong, MPI_INT, size - 1, 0, kLong, MPI_INT,
                          MPI_SUM, win, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(old, std::vector<int>(kLong, 5));
      MPI_Raccumulate(values.data(), kLong, MPI_INT, size - 1, 0, kLong, MPI_INT, MPI_SUM, win, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1) {
      EXPECT_EQ(memory, std::vector<int>(kLong, 15));
    }
    MPI_Win_free(&win);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
