// --migrate-at: ranks move at collectives, and the collectives' results stay the same.
#include "mpi_shim/coll/migrate_at.hpp"

#include <numeric>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class MigrateAtTest : public MpiTest {
 protected:
  void TearDown() override { enabled_migration_points = 0; }

  // Whether the call moves the ranks.
  template <typename Call>
  static void expect_move(MigrationPoint point, const Call& call) {
    const int before = weft_worker();
    call();
    const bool on = (enabled_migration_points & static_cast<std::uint32_t>(point)) != 0;
    EXPECT_EQ(weft_worker() != before, on && GetParam().lb == "rotate" && weft_worker_count() > 1);
  }

  static void all_collectives(int rank, int size) {
    expect_move(MigrationPoint::barrier, [] { MPI_Barrier(MPI_COMM_WORLD); });
    int value = rank == 0 ? 42 : 0;
    expect_move(MigrationPoint::bcast, [&] { MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); });
    EXPECT_EQ(value, 42);
    int sum = 0;
    expect_move(MigrationPoint::allreduce, [&] { MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); });
    EXPECT_EQ(sum, size * (size - 1) / 2);
    sum = 0;
    expect_move(MigrationPoint::reduce, [&] { MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD); });
    EXPECT_EQ(sum, rank == 0 ? size * (size - 1) / 2 : 0);
    std::vector<int> wanted(static_cast<std::size_t>(size));
    std::iota(wanted.begin(), wanted.end(), 0);
    std::vector<int> got(wanted.size());
    expect_move(MigrationPoint::allgather,
                [&] { MPI_Allgather(&rank, 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD); });
    EXPECT_EQ(got, wanted);
    const std::vector<int> sent(wanted.size(), rank);
    expect_move(MigrationPoint::alltoall,
                [&] { MPI_Alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD); });
    EXPECT_EQ(got, wanted);
  }
};

INSTANTIATE_TEST_SUITE_P(Settings, MigrateAtTest, kPlainSettings, name_of);

TEST_P(MigrateAtTest, MovesRanksAtWhatIsNamed) {
  for (const std::uint32_t places : {0U, 1U, 2U, 4U, 8U, 16U, 32U, 63U}) {
    enabled_migration_points = places;
    SCOPED_TRACE(places);
    run(6, [](int rank, int size) {
      all_collectives(rank, size);
      all_collectives(rank, size);
    });
  }
}

TEST_P(MigrateAtTest, MovesRanksInAnyCommunicatorOfAll) {
  enabled_migration_points = 1;
  run(6, [](int rank, int size) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm backwards = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
    for (const MPI_Comm comm : {copy, backwards, MPI_COMM_WORLD, copy}) {
      expect_move(MigrationPoint::barrier, [&] { MPI_Barrier(comm); });
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&backwards);
  });
}

TEST_P(MigrateAtTest, KeepsStillInOtherCommunicators) {
  enabled_migration_points = 1;
  run(6, [](int rank, int) {
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    const int before = weft_worker();
    MPI_Barrier(half);
    EXPECT_EQ(weft_worker(), before);
    MPI_Comm both = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &both);
    MPI_Barrier(both);
    EXPECT_EQ(weft_worker(), before);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  });
}

TEST_P(MigrateAtTest, StepsAtEveryKthCollective) {
  enabled_migration_points = 1;
  runtime::JobConfig config;
  config.lb_period = 3;
  run(
      6,
      [](int, int) {
        for (int i = 1; i <= 9; ++i) {
          const int before = weft_worker();
          MPI_Barrier(MPI_COMM_WORLD);
          EXPECT_EQ(weft_worker() != before, i % 3 == 0 && GetParam().lb == "rotate" && weft_worker_count() > 1) << i;
        }
      },
      config);
}

TEST(MigrateAtNames, AreKnownOrListed) {
  EXPECT_EQ(migration_points(std::vector<std::string>{}), 0U);
  EXPECT_EQ(migration_points(std::vector<std::string>{"barrier", "alltoall"}), 33U);
  try {
    migration_points(std::vector<std::string>{"barrier", "gather"});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "--migrate-at: 'gather' is none of barrier, allreduce, bcast, reduce, allgather, alltoall");
  }
}

}  // namespace
}  // namespace weft::mpi_shim
