// Collective calls between two groups: the lower and the upper half of the ranks.
#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

struct Between {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;    // in the own group
  int size = 0;    // of the own group
  int remote = 0;  // size of the other group
  bool low = false;
  int first_remote = 0;  // the world rank of the other group's first rank
};

class CollIntercomm : public MpiTest {
 protected:
  // With groups of one rank, of the same and of different sizes.
  void between(const std::function<void(const Between&)>& body, const runtime::JobConfig& config = {}) {
    for (const int size : {2, 4, 5, 9}) {
      const auto member = [&](int rank, int) {
        const int middle = size / 2;
        Between two;
        two.low = rank < middle;
        two.first_remote = two.low ? middle : 0;
        MPI_Comm local = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, two.low ? 0 : 1, rank, &local);
        MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, two.first_remote, 7, &two.comm);
        MPI_Comm_rank(two.comm, &two.rank);
        MPI_Comm_size(two.comm, &two.size);
        MPI_Comm_remote_size(two.comm, &two.remote);
        body(two);
        MPI_Comm_free(&two.comm);
        MPI_Comm_free(&local);
      };
      run(size, member, config);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, CollIntercomm, kSettings, name_of);

// The root of a call from the low group's last rank to the high group.
int root_for(const Between& two) {
  const int root = (two.low ? two.size : two.remote) - 1;
  return !two.low ? root : two.rank == root ? MPI_ROOT : MPI_PROC_NULL;
}

TEST_P(CollIntercomm, BarrierAndBcast) {
  between([](const Between& two) {
    for (int round = 0; round < 20; ++round) {
      ASSERT_EQ(MPI_Barrier(two.comm), MPI_SUCCESS);
      const int root = root_for(two);
      std::vector<int> data(300, root == MPI_ROOT ? round : -1);
      ASSERT_EQ(MPI_Bcast(data.data(), 300, MPI_INT, root, two.comm), MPI_SUCCESS);
      ASSERT_EQ(data[299], root == MPI_PROC_NULL ? -1 : round);
    }
  });
}

// Even a word waits for its receiver, so the two groups must not both send first.
TEST_P(CollIntercomm, NothingIsSentEagerly) {
  runtime::JobConfig config;
  config.eager_bytes = 0;
  between(
      [](const Between& two) {
        int sum = 0;
        ASSERT_EQ(MPI_Barrier(two.comm), MPI_SUCCESS);
        ASSERT_EQ(MPI_Allreduce(&two.rank, &sum, 1, MPI_INT, MPI_SUM, two.comm), MPI_SUCCESS);
        EXPECT_EQ(sum, two.remote * (two.remote - 1) / 2);
      },
      config);
}

TEST_P(CollIntercomm, GatherAndScatter) {
  between([](const Between& two) {
    const int root = root_for(two);
    const int mine[2] = {10 * two.rank, 10 * two.rank + 1};
    std::vector<int> all(2 * static_cast<std::size_t>(two.remote), -1);
    ASSERT_EQ(MPI_Gather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, root, two.comm), MPI_SUCCESS);
    for (std::size_t i = 0; root == MPI_ROOT && i < all.size(); ++i) {
      ASSERT_EQ(all[i], static_cast<int>(10 * (i / 2) + i % 2));
    }
    int back[2] = {-1, -1};
    ASSERT_EQ(MPI_Scatter(all.data(), 2, MPI_INT, back, 2, MPI_INT, root, two.comm), MPI_SUCCESS);
    if (!two.low) {
      ASSERT_EQ(back[1], mine[1]);
    }
  });
}

TEST_P(CollIntercomm, AllgatherAndAlltoall) {
  between([](const Between& two) {
    const auto n = static_cast<std::size_t>(two.remote);
    const int mine = two.rank + 100;
    std::vector<int> all(n, -1), out(n), in(n, -1);
    ASSERT_EQ(MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, two.comm), MPI_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(all[i], static_cast<int>(i) + 100);
      out[i] = 1000 * two.rank + static_cast<int>(i);
    }
    ASSERT_EQ(MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, two.comm), MPI_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(in[i], 1000 * static_cast<int>(i) + two.rank);
    }
  });
}

// Each group gets the other group's blocks.
TEST_P(CollIntercomm, Reductions) {
  between([](const Between& two) {
    for (const std::size_t n : {1U, 5U, 3000U}) {
      const std::vector<long> mine = vector_of<long>(two.rank + (two.low ? 0 : 50), n);
      std::vector<long> expected(n), sum(n, -1), at_root(n, -1);
      for (int r = 0; r < two.remote; ++r) {
        for (std::size_t i = 0; i < n; ++i) {
          expected[i] += value(r + (two.low ? 50 : 0), i);
        }
      }
      const int count = static_cast<int>(n);
      ASSERT_EQ(MPI_Allreduce(mine.data(), sum.data(), count, MPI_LONG, MPI_SUM, two.comm), MPI_SUCCESS);
      ASSERT_EQ(sum, expected);
      const int root = root_for(two);
      ASSERT_EQ(MPI_Reduce(mine.data(), at_root.data(), count, MPI_LONG, MPI_SUM, root, two.comm), MPI_SUCCESS);
      ASSERT_EQ(at_root, root == MPI_ROOT ? expected : std::vector<long>(n, -1));
    }
  });
}

TEST_P(CollIntercomm, ReduceScatterBlock) {
  between([](const Between& two) {
    // Both groups' vectors have as many elements as the product of the sizes.
    const auto n = static_cast<std::size_t>(two.remote);
    const auto total = n * static_cast<std::size_t>(two.size);
    const std::vector<long> mine = vector_of<long>(two.rank + (two.low ? 0 : 50), total);
    std::vector<long> part(n, -1), expected(n);
    for (int r = 0; r < two.remote; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] += value(r + (two.low ? 50 : 0), static_cast<std::size_t>(two.rank) * n + i);
      }
    }
    ASSERT_EQ(MPI_Reduce_scatter_block(mine.data(), part.data(), two.remote, MPI_LONG, MPI_SUM, two.comm), MPI_SUCCESS);
    ASSERT_EQ(part, expected);
  });
}

TEST_P(CollIntercomm, ScanIsNotDefined) {
  between([](const Between& two) {
    MPI_Comm_set_errhandler(two.comm, MPI_ERRORS_RETURN);
    int x = 1, y = 0, error_class = 0;
    MPI_Error_class(MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, two.comm), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_COMM);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
