// The beginning and the end of MPI, and what the environment calls say.
#include <cstring>
#include <thread>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class Init : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Init, kSettings, name_of);

TEST_P(Init, FlagsFollowTheCalls) {
  run_bare(5, [](int, int) {
    int flag = 1;
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 0);
    int provided = -1;
    EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Query_thread(&provided);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Is_thread_main(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
  });
}

TEST_P(Init, ARankKnowsItself) {
  run_all([](int rank, int size) {
    int value = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &value);
    EXPECT_EQ(value, rank);
    MPI_Comm_size(MPI_COMM_WORLD, &value);
    EXPECT_EQ(value, size);
    MPI_Comm_rank(MPI_COMM_SELF, &value);
    EXPECT_EQ(value, 0);
    MPI_Comm_size(MPI_COMM_SELF, &value);
    EXPECT_EQ(value, 1);
  });
}

TEST_P(Init, APlainProgramNeedsNoMpi) {
  EXPECT_EQ(run_bare(5, [](int, int) {}), 0);
}

TEST_P(Init, RanksMoveAtMigrateAndStayThemselves) {
  run_all([](int rank, int) {
    for (int step = 0; step < 5; ++step) {
      EXPECT_EQ(MPI_Migrate(), MPI_SUCCESS);
      EXPECT_LT(weft_worker(), weft_worker_count());
      EXPECT_GE(weft_rank_load(), 0.0);
      EXPECT_EQ(weft_ranks_are_balanced(), GetParam().lb != "none" || GetParam().share ? 1 : 0);
      int value = -1;
      MPI_Comm_rank(MPI_COMM_WORLD, &value);
      EXPECT_EQ(value, rank);
    }
  });
}

TEST_P(Init, FinalizeDeletesAttributesOfSelfLastSetFirst) {
  std::vector<std::vector<long>> orders(5);
  run_bare(5, [&](int rank, int) {
    MPI_Init(nullptr, nullptr);
    const auto note = [](MPI_Comm comm, int, void* value, void* extra) {
      EXPECT_EQ(comm, MPI_COMM_SELF);
      int finalized = 1;
      MPI_Finalized(&finalized);
      EXPECT_EQ(finalized, 0);
      static_cast<std::vector<long>*>(extra)->push_back(reinterpret_cast<long>(value));
      return int{MPI_SUCCESS};
    };
    for (long i = 1; i <= 3; ++i) {
      int keyval = MPI_KEYVAL_INVALID;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note, &keyval, &orders[static_cast<std::size_t>(rank)]);
      MPI_Comm_set_attr(MPI_COMM_SELF, keyval, reinterpret_cast<void*>(i));
      MPI_Comm_free_keyval(&keyval);
    }
    MPI_Finalize();
  });
  for (const auto& order : orders) {
    EXPECT_EQ(order, (std::vector<long>{3, 2, 1}));
  }
}

TEST_P(Init, TheEnvironmentIsDescribed) {
  run(2, [](int, int) {
    int major = 0;
    int minor = -1;
    MPI_Get_version(&major, &minor);
    EXPECT_EQ(major, MPI_VERSION);
    EXPECT_EQ(minor, MPI_SUBVERSION);
    MPI_Abi_get_version(&major, &minor);
    EXPECT_EQ(major, MPI_ABI_VERSION);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_EQ(std::string(text).substr(0, 5), "Weft ");
    MPI_Get_processor_name(text, &length);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_GT(length, 0);
    const double before = MPI_Wtime();
    EXPECT_GT(MPI_Wtick(), 0.0);
    EXPECT_LE(before, MPI_Wtime());
    EXPECT_EQ(MPI_Pcontrol(1), MPI_SUCCESS);
    double* block = nullptr;
    EXPECT_EQ(MPI_Alloc_mem(1000 * sizeof(double), MPI_INFO_NULL, &block), MPI_SUCCESS);
    block[999] = 1.0;
    EXPECT_EQ(MPI_Free_mem(block), MPI_SUCCESS);
  });
}

class InitDeath : public MpiTest {
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};
INSTANTIATE_TEST_SUITE_P(Settings, InitDeath, testing::Values(Setting{2, "none"}), name_of);

TEST_P(InitDeath, ACallBeforeInitIsNamed) {
  EXPECT_EXIT(run_bare(2,
                       [](int, int) {
                         int size = 0;
                         MPI_Comm_size(MPI_COMM_WORLD, &size);
                       }),
              testing::ExitedWithCode(1), "rank [01]: MPI_Comm_size: called before MPI_Init");
}

TEST_P(InitDeath, ACallAfterFinalizeIsNamed) {
  EXPECT_EXIT(run_bare(1,
                       [](int, int) {
                         MPI_Init(nullptr, nullptr);
                         MPI_Finalize();
                         int size = 0;
                         MPI_Comm_size(MPI_COMM_WORLD, &size);
                       }),
              testing::ExitedWithCode(1), "rank 0: MPI_Comm_size: called after MPI_Finalize");
}

TEST_P(InitDeath, AbortEndsTheJobWithItsCode) {
  EXPECT_EXIT(run(5, [](int rank, int) { rank == 3 ? MPI_Abort(MPI_COMM_WORLD, 42) : 0; }), testing::ExitedWithCode(42),
              "rank 3: MPI_Abort\\(MPI_COMM_WORLD, 42\\)");
}

TEST_P(InitDeath, ARankThatEndsWithoutFinalizeEndsTheJob) {
  EXPECT_EXIT(run_bare(5,
                       [](int rank, int) {
                         MPI_Init(nullptr, nullptr);
                         if (rank != 2) {
                           MPI_Finalize();
                         }
                       }),
              testing::ExitedWithCode(1), "rank 2: ended with exit code 0 after MPI_Init and without MPI_Finalize");
}

TEST_P(InitDeath, ABarrierThatMeetsAFinalizeIsNamed) {
  EXPECT_EXIT(run(3, [](int rank, int) { rank == 1 ? 0 : MPI_Barrier(MPI_COMM_WORLD); }),
              testing::ExitedWithCode(MPI_ERR_ARG),
              "rank 0 of the communicator is in MPI_Barrier but rank 1 is in MPI_Finalize");
}

TEST_P(InitDeath, AThreadOfARankIsRefused) {
  EXPECT_EXIT(run(1,
                  [](int, int) {
                    std::thread([] {
                      int flag = 1;
                      MPI_Is_thread_main(&flag);
                      int rank = flag;
                      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
                    }).join();
                  }),
              testing::ExitedWithCode(1), "MPI_Comm_rank: MPI call from a thread that the rank created");
}

}  // namespace
}  // namespace weft::mpi_shim
