// Levels of thread support; windows, files, sessions and wrong calls of threads that ranks start.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/mpi_shim/entry/threads_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class ThreadCalls : public ThreadsTest {};
INSTANTIATE_TEST_SUITE_P(Settings, ThreadCalls, kSettings, name_of);

TEST_P(ThreadCalls, AnyLevelIsProvided) {
  run_bare(3, [](int, int) {
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    EXPECT_EQ(provided, MPI_THREAD_SERIALIZED);
    in_threads(1, [](int) {
      int level = -1;
      MPI_Query_thread(&level);
      EXPECT_EQ(level, MPI_THREAD_SERIALIZED);
      int flag = 1;
      MPI_Is_thread_main(&flag);
      EXPECT_EQ(flag, 0);
      MPI_Initialized(&flag);
      EXPECT_EQ(flag, 1);
      MPI_Finalized(&flag);
      EXPECT_EQ(flag, 0);
    });
    int flag = 0;
    MPI_Is_thread_main(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalize();
  });
}

TEST_P(ThreadCalls, WindowsAreReachedByAll) {
  run_with_threads(4, [](int rank, int size) {
    long* memory = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    in_threads(kThreads, [&](int t) {
      for (int i = 0; i < kRounds; ++i) {
        const long one = 1;
        long before = -1;
        MPI_Fetch_and_op(&one, &before, MPI_LONG, (rank + t) % size, 0, MPI_SUM, window);
        MPI_Win_flush((rank + t) % size, window);
        EXPECT_GE(before, 0);
        EXPECT_LT(before, kThreads * kRounds);
      }
    });
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(memory[0], kThreads * kRounds);
    MPI_Win_free(&window);
  });
}

TEST_P(ThreadCalls, FilesAreWrittenByAll) {
  const std::string name = "/tmp/weft_threads_" + std::to_string(::getpid()) + "_" + text_of(GetParam());
  run_with_threads(3, [&](int rank, int) {
    MPI_File file = MPI_FILE_NULL;
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file),
              MPI_SUCCESS);
    in_threads(kThreads, [&](int t) {
      const int place = rank * kThreads + t;
      EXPECT_EQ(MPI_File_write_at(file, MPI_Offset{4} * place, &place, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      int in = -1;
      EXPECT_EQ(MPI_File_read_at(file, MPI_Offset{4} * place, &in, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(in, place);
    });
    MPI_File_close(&file);
  });
}

TEST_P(ThreadCalls, ASecondWaitForARequestIsAnError) {
  run_with_threads(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int in = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    const RankThread thread([&] {
      MPI_Request same = request;
      EXPECT_EQ(MPI_Wait(&same, MPI_STATUS_IGNORE), MPI_SUCCESS);
    });
    until_a_thread_waits();
    MPI_Request same = request;
    int error = MPI_Wait(&same, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &error);
    EXPECT_EQ(error, MPI_ERR_REQUEST);
    MPI_Send(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  });
}

TEST_P(ThreadCalls, OnlyTheMainThreadFinalizesAndAlone) {
  run_with_threads(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const RankThread thread([&] {
      EXPECT_NE(MPI_Finalize(), MPI_SUCCESS);
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    until_a_thread_waits();
    EXPECT_NE(MPI_Finalize(), MPI_SUCCESS);
    MPI_Send(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
  });
}

// A rank whose threads do not call moves as ever, whatever level it has.
TEST_P(ThreadCalls, RanksMoveUntilThreadsCall) {
  std::atomic<int> moves = 0;
  run_with_threads(5, [&](int rank, int) {
    int there = 0;
    for (int i = 0; i < 4; ++i) {
      const int before = weft_worker();
      MPI_Migrate();
      moves += weft_worker() != before ? 1 : 0;
    }
    in_threads(1, [&](int) { MPI_Comm_rank(MPI_COMM_WORLD, &there); });
    EXPECT_EQ(there, rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const int before = weft_worker();
    MPI_Migrate();
    EXPECT_EQ(weft_worker(), before);
  });
  EXPECT_EQ(moves > 0, GetParam().lb == "rotate" && GetParam().workers * GetParam().processes > 1) << moves;
}

// The others come to the barrier only once they have heard from a thread of a rank that is in a step before it.
TEST_P(ThreadCalls, AThreadMayCallFirstWhileItsRankWaitsToMove) {
  run_with_threads(3, [](int rank, int) {
    if (rank != 0) {
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 0);
      MPI_Migrate();
      return;
    }
    const RankThread late([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const int zero = 0;
      MPI_Send(&zero, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
      MPI_Send(&zero, 1, MPI_INT, 2, 6, MPI_COMM_WORLD);
    });
    MPI_Migrate();
  });
}

// A rank that is in calls which are parts of others goes on with them.
TEST_P(ThreadCalls, ThreadsAreAllowedWhileOthersAreInCalls) {
  run(4, [](int rank, int size) {
    if (rank == size - 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      int provided = -1;
      EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
      EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    }
    int mine = rank;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    int theirs = -1;
    MPI_Win_fence(0, window);
    MPI_Get(&theirs, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    EXPECT_EQ(theirs, (rank + 1) % size);
    MPI_Win_free(&window);
    if (rank == size - 1) {
      MPI_T_finalize();
    }
  });
}

TEST_P(ThreadCalls, RanksMoveByTheNamesOfAmpi) {
  std::atomic<int> moves = 0;
  run_with_threads(4, [&](int, int) {
    for (int i = 0; i < 4; ++i) {
      const int before = weft_worker();
      AMPI_Migrate(AMPI_INFO_LB_SYNC);
      moves += weft_worker() != before ? 1 : 0;
    }
  });
  EXPECT_EQ(moves > 0, GetParam().lb == "rotate" && GetParam().workers * GetParam().processes > 1) << moves;
}

TEST_P(ThreadCalls, SessionsProvideLevels) {
  run_bare(2, [](int, int) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session session = MPI_SESSION_NULL;
    EXPECT_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Session_get_info(session, &info);
    char level[MPI_MAX_INFO_VAL] = "";
    int length = MPI_MAX_INFO_VAL;
    int flag = 0;
    MPI_Info_get_string(info, "thread_level", &length, level, &flag);
    EXPECT_STREQ(level, "MPI_THREAD_MULTIPLE");
    MPI_Info_free(&info);
    in_threads(kThreads, [&](int) {
      int sets = 0;
      EXPECT_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets), MPI_SUCCESS);
      EXPECT_GE(sets, 2);
    });
    MPI_Session_finalize(&session);
  });
}

class ThreadCallsDeath : public MpiTest {
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
INSTANTIATE_TEST_SUITE_P(Settings, ThreadCallsDeath, testing::Values(Setting{2, "none"}), name_of);

TEST_P(ThreadCallsDeath, ALevelThatWasNotAskedForIsNotThere) {
  EXPECT_EXIT(run_bare(1,
                       [](int, int) {
                         int provided = -1;
                         MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
                         in_threads(1, [](int) { MPI_Barrier(MPI_COMM_SELF); });
                       }),
              testing::ExitedWithCode(1), "MPI_Barrier: MPI call from a thread .* MPI_THREAD_FUNNELED is provided");
}

TEST_P(ThreadCallsDeath, AThreadMayAbort) {
  EXPECT_EXIT(run_bare(3,
                       [](int rank, int) {
                         int provided = -1;
                         MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
                         if (rank == 1) {
                           in_threads(1, [](int) { MPI_Abort(MPI_COMM_WORLD, 42); });
                         }
                         MPI_Barrier(MPI_COMM_WORLD);
                       }),
              testing::ExitedWithCode(42), "rank 1: MPI_Abort\\(MPI_COMM_WORLD, 42\\)");
}

TEST_P(ThreadCallsDeath, WithoutThreadsADeadlockIsFoundAtAnyLevel) {
  EXPECT_EXIT(run_bare(3,
                       [](int rank, int) {
                         int provided = -1;
                         MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
                         int in = 0;
                         MPI_Recv(&in, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                       }),
              testing::ExitedWithCode(1), "weft: deadlock: all 3 ranks are blocked");
}

}  // namespace
}  // namespace weft::mpi_shim
