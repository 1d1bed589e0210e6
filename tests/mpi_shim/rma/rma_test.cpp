// Windows: epochs of all kinds, transfers of all sizes and datatypes, while ranks move.
#include <cstdlib>
#include <numeric>
#include <vector>

#include "mpi_shim/coll/migrate_at.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"
#include "weft.h"

namespace weft::mpi_shim {
namespace {

class Rma : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Rma, kSettings, name_of);

MPI_Win make_window(std::vector<int>& memory, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_Win win = MPI_WIN_NULL;
  EXPECT_EQ(MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size() * sizeof(int)), sizeof(int),
                           MPI_INFO_NULL, comm, &win),
            MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return win;
}

TEST_P(Rma, FenceEndsPutsAndGets) {
  run_all([](int rank, int size) {
    std::vector<int> memory(8, -1);
    const MPI_Win win = make_window(memory);
    const int next = (rank + 1) % size;
    for (int round = 0; round < 5; ++round) {
      MPI_Win_fence(0, win);
      const int pair[] = {100 * round + rank, rank};
      EXPECT_EQ(MPI_Put(pair, 2, MPI_INT, next, round, 2, MPI_INT, win), MPI_SUCCESS);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
      EXPECT_EQ(memory[static_cast<std::size_t>(round)], 100 * round + (rank + size - 1) % size);
      MPI_Migrate();
      MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
      int got[2] = {-1, -1};
      EXPECT_EQ(MPI_Get(got, 2, MPI_INT, next, round, 2, MPI_INT, win), MPI_SUCCESS);
      MPI_Win_fence(0, win);
      EXPECT_EQ(got[0], 100 * round + rank);
      EXPECT_EQ(got[1], rank);
    }
    MPI_Win freed = win;
    EXPECT_EQ(MPI_Win_free(&freed), MPI_SUCCESS);
    EXPECT_EQ(freed, MPI_WIN_NULL);
  });
}

// Columns of a matrix at the origin become rows of pairs with gaps at the target, and back; short and long.
TEST_P(Rma, DerivedTypesOnBothSides) {
  run(5, [](int rank, int size) {
    for (const int n : {7, 300}) {
      const auto cells = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
      std::vector<int> memory(2 * cells, 0);
      const MPI_Win win = make_window(memory);
      MPI_Datatype column = MPI_DATATYPE_NULL;
      MPI_Datatype columns = MPI_DATATYPE_NULL;
      MPI_Datatype gaps = MPI_DATATYPE_NULL;
      MPI_Type_vector(n, 1, n, MPI_INT, &column);
      MPI_Type_create_hvector(n, 1, sizeof(int), column, &columns);
      MPI_Type_vector(n * n, 1, 2, MPI_INT, &gaps);
      MPI_Type_commit(&columns);
      MPI_Type_commit(&gaps);
      std::vector<int> matrix(cells);
      std::iota(matrix.begin(), matrix.end(), 1000 * rank);
      const int next = (rank + 1) % size;
      MPI_Win_fence(0, win);
      MPI_Put(matrix.data(), 1, columns, next, 0, 1, gaps, win);
      MPI_Win_fence(0, win);
      const int before = (rank + size - 1) % size;
      std::vector<int> expected(2 * cells, 0);
      for (int i = 0; i < n * n; ++i) {
        expected[2 * static_cast<std::size_t>(i)] = 1000 * before + i % n * n + i / n;
      }
      EXPECT_EQ(memory, expected);
      std::vector<int> back(cells, -1);
      MPI_Get(back.data(), 1, columns, next, 0, 1, gaps, win);
      MPI_Win_fence(0, win);
      EXPECT_EQ(back, matrix);
      for (MPI_Datatype* type : {&column, &columns, &gaps}) {
        MPI_Type_free(type);
      }
      MPI_Win freed = win;
      MPI_Win_free(&freed);
    }
  });
}

TEST_P(Rma, PostStartCompleteWait) {
  run(5, [](int rank, int size) {
    std::vector<int> memory(static_cast<std::size_t>(size), -1);
    const MPI_Win win = make_window(memory);
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Win_get_group(win, &all);
    for (int round = 0; round < 4; ++round) {
      EXPECT_EQ(MPI_Win_start(all, 0, win), MPI_SUCCESS);
      EXPECT_EQ(MPI_Win_post(all, 0, win), MPI_SUCCESS);
      for (int to = 0; to < size; ++to) {
        const int value = 10 * round + rank;
        MPI_Put(&value, 1, MPI_INT, to, rank, 1, MPI_INT, win);
      }
      EXPECT_EQ(MPI_Win_complete(win), MPI_SUCCESS);
      if (round % 2 == 0) {
        EXPECT_EQ(MPI_Win_wait(win), MPI_SUCCESS);
      } else {
        int flag = 0;
        while (flag == 0) {
          EXPECT_EQ(MPI_Win_test(win, &flag), MPI_SUCCESS);
        }
      }
      for (int from = 0; from < size; ++from) {
        EXPECT_EQ(memory[static_cast<std::size_t>(from)], 10 * round + from);
      }
      MPI_Migrate();
    }
    MPI_Group_free(&all);
    MPI_Win freed = win;
    MPI_Win_free(&freed);
  });
}

TEST_P(Rma, LocksExclude) {
  run(5, [](int rank, int size) {
    std::vector<int> memory(2, 0);
    const MPI_Win win = make_window(memory);
    for (int i = 0; i < 20; ++i) {
      const int target = i % size;
      EXPECT_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win), MPI_SUCCESS);
      int both[2] = {-1, -1};
      MPI_Get(both, 2, MPI_INT, target, 0, 2, MPI_INT, win);
      MPI_Win_flush(target, win);
      EXPECT_EQ(both[0], both[1]);
      ++both[0];
      MPI_Put(&both[0], 1, MPI_INT, target, 0, 1, MPI_INT, win);
      MPI_Put(&both[0], 1, MPI_INT, target, 1, 1, MPI_INT, win);
      EXPECT_EQ(MPI_Win_unlock(target, win), MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    const int turns = 20 / size + (rank < 20 % size ? 1 : 0);
    EXPECT_EQ(memory[0], turns * size);
    MPI_Win_unlock(rank, win);
    MPI_Win freed = win;
    MPI_Win_free(&freed);
  });
}

// An epoch that is open, a lock that is held and requests that are pending while ranks move.
TEST_P(Rma, EpochsOutliveMoves) {
  run(5, [](int rank, int size) {
    constexpr int kMany = 50000;
    std::vector<int> memory(kMany + 2, 0);
    const MPI_Win win = make_window(memory);
    const int next = (rank + 1) % size;
    const int before = (rank + size - 1) % size;
    std::vector<int> many(kMany);
    std::vector<int> got(kMany);
    MPI_Win_lock_all(0, win);
    for (int round = 1; round < 4; ++round) {
      std::iota(many.begin(), many.end(), rank + round);
      MPI_Request requests[2];
      MPI_Rput(many.data(), kMany, MPI_INT, next, 0, kMany, MPI_INT, win, &requests[0]);
      MPI_Put(&round, 1, MPI_INT, next, kMany, 1, MPI_INT, win);
      MPI_Rget(&got[0], 1, MPI_INT, next, kMany + 1, 1, MPI_INT, win, &requests[1]);
      MPI_Migrate();
      EXPECT_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
      MPI_Win_flush_all(win);
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(memory[0], before + round);
      EXPECT_EQ(memory[kMany - 1], before + round + kMany - 1);
      EXPECT_EQ(memory[kMany], round);
      MPI_Rget(got.data(), kMany, MPI_INT, next, 0, kMany, MPI_INT, win, &requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      EXPECT_EQ(got, many);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
    MPI_Win freed = win;
    MPI_Win_free(&freed);
  });
}

TEST_P(Rma, AllocatedWindowsBelongToTheirRanks) {
  run(5, [](int rank, int size) {
    double* base = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    EXPECT_EQ(MPI_Win_allocate_c((rank + 1) * MPI_Aint{8}, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    base[rank] = rank;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    double last = -1;
    EXPECT_EQ(MPI_Get_c(&last, 1, MPI_DOUBLE, size - 1, size - 1, 1, MPI_DOUBLE, win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_flush_local_all(win), MPI_SUCCESS);
    EXPECT_EQ(last, size - 1);
    MPI_Win_unlock_all(win);
    MPI_Aint* bytes = nullptr;
    int flag = 0;
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    EXPECT_EQ(*bytes, (rank + 1) * 8);
    MPI_Win_free(&win);
  });
}

// Ranks of one process load and store in a shared window, which pins them to the process.
TEST_P(Rma, SharedMemory) {
  run(5, [](int, int) {
    MPI_Comm near = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(near, &rank);
    MPI_Comm_size(near, &size);
    int* mine = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    EXPECT_EQ(MPI_Win_allocate_shared(4, 4, MPI_INFO_NULL, near, &mine, &win), MPI_SUCCESS);
    *mine = 7 * rank;
    MPI_Win_fence(0, win);
    MPI_Migrate();
    for (int r = 0; r < size; ++r) {
      MPI_Aint bytes = 0;
      int unit = 0;
      int* theirs = nullptr;
      MPI_Win_shared_query(win, r, &bytes, &unit, &theirs);
      EXPECT_EQ(bytes, 4);
      EXPECT_EQ(theirs, mine - rank + r);
      EXPECT_EQ(*theirs, 7 * r);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&near);
  });
}

// In a window that is not shared, a rank can load only from its own part.
TEST_P(Rma, SharedQueryOfMemoryThatIsNotShared) {
  run(3, [](int rank, int size) {
    std::vector<int> memory(static_cast<std::size_t>(rank));  // rank 1's is the first with any bytes
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), MPI_Aint{4} * rank, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    const auto expect = [&](int asked, int owner) {
      MPI_Aint bytes = -1;
      int unit = -1;
      int* base = memory.data() + 1;
      EXPECT_EQ(MPI_Win_shared_query(win, asked, &bytes, &unit, &base), MPI_SUCCESS);
      EXPECT_EQ(bytes, owner == rank ? 4 * rank : 0);
      EXPECT_EQ(base, owner == rank && rank > 0 ? memory.data() : nullptr);
    };
    for (int r = 0; r < size; ++r) {
      expect(r, r);
    }
    expect(MPI_PROC_NULL, 1);
    MPI_Win_free(&win);
  });
}

TEST_P(Rma, DynamicWindows) {
  run(5, [](int rank, int size) {
    std::vector<long> memory(3, -1);
    MPI_Win win = MPI_WIN_NULL;
    EXPECT_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Win_attach(win, memory.data(), 24), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_attach(win, &memory[2], 8), MPI_ERR_RMA_ATTACH);
    MPI_Aint mine = 0;
    MPI_Get_address(memory.data(), &mine);
    std::vector<MPI_Aint> all(static_cast<std::size_t>(size));
    MPI_Allgather(&mine, 1, MPI_AINT, all.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Migrate();
    const int next = (rank + 1) % size;
    const long value = rank;
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, next, MPI_Aint_add(all[static_cast<std::size_t>(next)], 8), 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    EXPECT_EQ(memory[1], (rank + size - 1) % size);
    EXPECT_EQ(MPI_Win_detach(win, memory.data()), MPI_SUCCESS);
    MPI_Win_free(&win);
  });
}

TEST_P(Rma, SelfAndProcNull) {
  run(2, [](int rank, int) {
    std::vector<int> memory(1, rank);
    MPI_Win win = make_window(memory, MPI_COMM_SELF);
    int got = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    EXPECT_EQ(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_SUCCESS);
    EXPECT_EQ(MPI_Put(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win), MPI_SUCCESS);
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Rget(&got, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Win_unlock(0, win);
    EXPECT_EQ(got, rank);
    MPI_Win_free(&win);
  });
}

TEST_P(Rma, ErrorsNameTheirClass) {
  run(3, [](int rank, int) {
    std::vector<int> memory(4, 0);
    MPI_Win win = make_window(memory);
    int x = 0;
    EXPECT_EQ(MPI_Put(&x, 1, MPI_INT, 3, 0, 1, MPI_INT, win), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_fence(1, win), MPI_ERR_ASSERT);
    EXPECT_EQ(MPI_Win_lock(1, 0, 0, win), MPI_ERR_LOCKTYPE);
    EXPECT_EQ(MPI_Win_attach(win, &x, 4), MPI_ERR_RMA_FLAVOR);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
    EXPECT_EQ(MPI_Put(&x, 1, MPI_INT, 0, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
    EXPECT_EQ(MPI_Accumulate(&x, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win), MPI_ERR_OP);
    EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_RMA_SYNC);
    MPI_Win_unlock(0, win);
    EXPECT_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN) << "rank " << rank;
  });
}

// The collective calls inside MPI_Win_fence and similar calls do not count as the program's.
TEST_P(Rma, StepsAtCollectivesLeaveWindowsAlone) {
  enabled_migration_points =
      static_cast<std::uint32_t>(MigrationPoint::barrier) | static_cast<std::uint32_t>(MigrationPoint::allgather);
  run(5, [](int rank, int size) {
    std::vector<int> memory(1, -1);
    MPI_Win win = make_window(memory);
    for (int round = 0; round < 4; ++round) {
      MPI_Win_fence(0, win);
      const int value = 10 * round + rank;
      MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
      MPI_Win_fence(0, win);
      EXPECT_EQ(memory[0], 10 * round + (rank + size - 1) % size);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
  });
  enabled_migration_points = 0;
}

int copies = 0;

TEST_P(Rma, NamesHintsAndAttributes) {
  run(2, [](int, int) {
    std::vector<int> memory(4, 0);
    MPI_Win win = make_window(memory);
    char text[MPI_MAX_OBJECT_NAME] = "?";
    int length = -1;
    MPI_Win_get_name(win, text, &length);
    EXPECT_EQ(length, 0);
    MPI_Win_set_name(win, "halo");
    int key = MPI_KEYVAL_INVALID;
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, nullptr);
    MPI_Win_set_attr(win, key, &copies);
    MPI_Migrate();
    MPI_Win_get_name(win, text, &length);
    EXPECT_STREQ(text, "halo");
    void* value = nullptr;
    int flag = 0;
    MPI_Win_get_attr(win, key, &value, &flag);
    EXPECT_EQ(value, &copies);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
    EXPECT_EQ(value, memory.data());
    int* number = nullptr;
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag);
    EXPECT_EQ(*number, MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag);
    EXPECT_EQ(*number, 4);
    EXPECT_EQ(MPI_Win_set_attr(win, MPI_WIN_SIZE, nullptr), MPI_ERR_KEYVAL);
    EXPECT_EQ(MPI_Win_delete_attr(win, key), MPI_SUCCESS);
    MPI_Win_free_keyval(&key);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", 10, text, &flag);
    EXPECT_STREQ(text, "false");
    MPI_Info_free(&info);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Win_get_errhandler(win, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    MPI_Win_free(&win);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
