// MPI_Barrier and MPI_Bcast, and calls in a row with messages in between.
#include <array>
#include <atomic>

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollBasic : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollBasic, kSettings, name_of);

TEST_P(CollBasic, NobodyLeavesABarrierBeforeAllHaveEntered) {
  for (const int ranks : kRankCounts) {
    std::atomic<int> arrived{0};
    run(ranks, [&](int, int size) {
      for (int round = 1; round <= 50; ++round) {
        ++arrived;
        ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        ASSERT_GE(arrived.load(), round * size);
        ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        ASSERT_LE(arrived.load(), (round + 1) * size);
      }
    });
  }
}

TEST_P(CollBasic, BcastFromEveryRoot) {
  run_all([](int rank, int size) {
    for (int root = 0; root < size; ++root) {
      for (const std::size_t n : kLengths) {
        std::vector<int> data = rank == root ? vector_of<int>(root, n) : std::vector<int>(n, -1);
        ASSERT_EQ(MPI_Bcast(data.data(), static_cast<int>(n), MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
        ASSERT_EQ(data, vector_of<int>(root, n));
      }
    }
  });
}

TEST_P(CollBasic, BcastBetweenDifferentLayouts) {
  run_all([](int rank, int size) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(500, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    const int root = size / 2;
    std::vector<int> wide(1500, -1), narrow(500);
    if (rank == root) {
      for (std::size_t i = 0; i < 500; ++i) {
        wide[3 * i] = value(root, i);
      }
      MPI_Bcast(wide.data(), 1, column, root, MPI_COMM_WORLD);
    } else {
      MPI_Bcast(narrow.data(), 500, MPI_INT, root, MPI_COMM_WORLD);
      ASSERT_EQ(narrow, vector_of<int>(root, 500));
    }
    MPI_Type_free(&column);
  });
}

TEST_P(CollBasic, LayoutOfAShortMessage) {
  run_all([](int rank, int size) {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(4, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    std::vector<int> wide(8, -1);
    if (rank == size - 1) {
      wide = {1, 0, 2, 0, 3, 0, 4, 0};
    }
    MPI_Bcast(wide.data(), 1, column, size - 1, MPI_COMM_WORLD);
    const int gap = rank == size - 1 ? 0 : -1;
    ASSERT_EQ(wide, (std::vector<int>{1, gap, 2, gap, 3, gap, 4, gap}));
    MPI_Type_free(&column);
  });
}

// Every call's data depends on the call before: a rank that runs ahead, or reads too late, corrupts the sum. With the
// strategy rotate every rank moves now and then.
TEST_P(CollBasic, CallsInARowWithMessagesInBetween) {
  run_all([](int rank, int size) {
    long state = rank + 1;
    std::vector<long> wide(300);
    for (int round = 0; round < 100; ++round) {
      long sum = 0;
      MPI_Allreduce(&state, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      std::fill(wide.begin(), wide.end(), rank == round % size ? sum : 0);
      MPI_Bcast(wide.data(), 300, MPI_LONG, round % size, MPI_COMM_WORLD);
      ASSERT_EQ(wide[static_cast<std::size_t>(round)], sum);
      const int next = (rank + 1) % size;
      const int previous = (rank + size - 1) % size;
      long token = sum + rank, received = 0;
      MPI_Sendrecv(&token, 1, MPI_LONG, next, round, &received, 1, MPI_LONG, previous, round, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      ASSERT_EQ(received, sum + previous);
      long most = 0;
      MPI_Reduce(&received, &most, 1, MPI_LONG, MPI_MAX, (round * 3) % size, MPI_COMM_WORLD);
      if (rank == (round * 3) % size) {
        ASSERT_EQ(most, sum + size - 1);
      }
      MPI_Allreduce(MPI_IN_PLACE, wide.data(), 300, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
      ASSERT_EQ(wide[299], sum);
      state = sum % 1009 + rank;
      if (round % 5 == 0) {
        MPI_Migrate();
      }
    }
  });
}

// Members that only exchange messages do not compare their arguments.
#define SKIP_WHERE_SPREAD()                                              \
  if (by_messages()) {                                                   \
    GTEST_SKIP() << "members in several processes do not compare calls"; \
  }

TEST_P(CollBasic, MembersThatPassDifferentRootsGetAnError) {
  SKIP_WHERE_SPREAD();
  run(4, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<int> x(1000, rank);
    const int code = MPI_Bcast(x.data(), 1000, MPI_INT, rank == 2 ? 1 : 0, MPI_COMM_WORLD);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, MPI_ERR_ROOT);
    EXPECT_EQ(x, std::vector<int>(1000, rank));
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

TEST_P(CollBasic, MembersThatPassDifferentLengthsGetAnError) {
  SKIP_WHERE_SPREAD();
  run(4, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<int> x(1000, rank);
    int error_class = 0;
    MPI_Error_class(MPI_Bcast(x.data(), rank == 3 ? 1000 : 999, MPI_INT, 0, MPI_COMM_WORLD), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    std::vector<int> y(1000);
    MPI_Error_class(MPI_Allreduce(x.data(), y.data(), rank == 1 ? 999 : 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                    &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    for (const int n : {1, 500}) {  // in all as many
      const std::array<int, 4> counts{n, rank == 2 ? n : 0, rank == 2 ? 0 : n, 0};
      MPI_Error_class(MPI_Reduce_scatter(x.data(), y.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                      &error_class);
      EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    }
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

TEST_P(CollBasic, MembersInDifferentCallsGetAnError) {
  SKIP_WHERE_SPREAD();
  run(3, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    double x = rank, y = 0;
    const int code =
        rank == 1 ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    int error_class = 0;
    MPI_Error_class(code, &error_class);
    EXPECT_EQ(error_class, MPI_ERR_ARG);
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
