// A rank that blocks with pending non-blocking collectives sleeps like others. When no rank can continue, the job ends
// with a report, which names the pending calls.
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollDeadlock : public MpiTest {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  void expect_report(int ranks, const Body& body, const std::string& report) {
    EXPECT_EXIT(run_bare(ranks,
                         [&](int rank, int size) {
                           MPI_Init(nullptr, nullptr);
                           body(rank, size);
                           MPI_Finalize();
                         }),
                testing::ExitedWithCode(1), report);
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, CollDeadlock,
                         testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{4, "none"},
                                         Setting{2, "rotate"}, Setting{2, "none", true}, Setting{1, "none", false, 2}),
                         name_of);

// Rank 3 makes another call than the others.
TEST_P(CollDeadlock, IsReportedWhileCallsArePending) {
  const auto body = [](int rank, int) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "the other");
    MPI_Migrate();
    if (rank == 3) {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 77, other, MPI_STATUS_IGNORE);
    }
    MPI_Request requests[2];
    double in = 0, out = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, other, &requests[1]);
    MPI_Barrier(other);
  };
  expect_report(
      4, body,
      "deadlock: all (4 )?ranks are blocked(.|\n)*"
      "ranks? 0(-[12])? in MPI_Barrier: waits? [^\n]*\\(pending: MPI_Ibarrier on MPI_COMM_WORLD, MPI_Iallreduce on the "
      "other\\)(.|\n)*rank 3 in MPI_Recv: waits from rank 0, tag 77, the other\n?");
}

// Ranks wait in MPI_Wait for a pending barrier.
TEST_P(CollDeadlock, NamesTheCallThatIsWaitedFor) {
  const auto body = [](int rank, int) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank != 2) {
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  };
  expect_report(3, body,
                "deadlock(.|\n)*ranks? 0(-1)? in MPI_Wait: waits? for (all 3|the other|other) ranks of "
                "(its communicator|MPI_COMM_WORLD) \\(pending: MPI_Ibarrier on MPI_COMM_WORLD\\)");
}

TEST_P(CollDeadlock, NamesTheRanksThatWaitForAShortBroadcast) {
  const auto body = [](int rank, int) {
    int x = 0;
    if (rank == 0) {
      MPI_Recv(nullptr, 0, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  };
  expect_report(
      3, body,
      "deadlock(.|\n)*rank 0 in MPI_Recv: waits from rank 1, tag 77(.|\n)*ranks? 1(-2)? in MPI_Bcast: waits? f");
}

// Rank 2 has a message that its receive does not match.
TEST_P(CollDeadlock, BeginsWithTheRankThatDoesNotReceiveItsMessages) {
  const auto body = [](int rank, int) {
    if (rank == 0) {
      MPI_Send(nullptr, 0, MPI_INT, 2, 6, MPI_COMM_WORLD);
    }
    const int from = rank == 2 ? 0 : 2;
    MPI_Recv(nullptr, 0, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  };
  const std::string culprit =
      "rank 2 in MPI_Recv: waits from rank 0, tag 5, MPI_COMM_WORLD \\(1 message here that it does not ask for\\)";
  const std::string others = "\n  ranks 0-1,3 in MPI_Recv: wait from rank 2, tag 5, MPI_COMM_WORLD";
  expect_report(4, body, "blocked and nothing is under way\n  " + culprit + others);
}

}  // namespace
}  // namespace weft::mpi_shim
