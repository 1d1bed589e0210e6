// Intercommunicators.
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

// Even and odd world ranks on either side; their leaders are the highest of each half.
struct Halves {
  Halves(int rank, int size) : odd(rank % 2) {
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &local);
    int count = 0;
    MPI_Comm_size(local, &count);
    const int remote_leader = size - 1 - (size - 1 - (1 - odd)) % 2;
    MPI_Intercomm_create(local, count - 1, MPI_COMM_WORLD, remote_leader, 12, &inter);
  }
  ~Halves() {
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
  }
  int odd;
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
};

// Every rank of side 0 sends to the rank of the same number on side 1 and gets a reply.
void greet(MPI_Comm inter, bool first) {
  int rank = 0;
  int others = 0;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &others);
  if (rank >= others) {
    return;
  }
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world);
  int heard = -1;
  if (first) {
    MPI_Send(&world, 1, MPI_INT, rank, 1, inter);
    MPI_Recv(&heard, 1, MPI_INT, rank, 2, inter, MPI_STATUS_IGNORE);
    EXPECT_EQ(heard, world + 1);
  } else {
    MPI_Recv(&heard, 1, MPI_INT, rank, 1, inter, MPI_STATUS_IGNORE);
    EXPECT_EQ(heard, world - 1);
    MPI_Send(&world, 1, MPI_INT, rank, 2, inter);
  }
}

class Intercomm : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Intercomm, kSettings, name_of);

TEST_P(Intercomm, TwoGroupsTalk) {
  for (const int ranks : {2, 5, 16}) {
    run(ranks, [](int rank, int size) {
      const Halves halves(rank, size);
      int flag = 0;
      MPI_Comm_test_inter(halves.inter, &flag);
      EXPECT_EQ(flag, 1);
      MPI_Comm_test_inter(halves.local, &flag);
      EXPECT_EQ(flag, 0);
      int count = 0;
      MPI_Comm_remote_size(halves.inter, &count);
      EXPECT_EQ(count, halves.odd != 0 ? (size + 1) / 2 : size / 2);
      MPI_Comm_size(halves.inter, &count);
      EXPECT_EQ(count, halves.odd != 0 ? size / 2 : (size + 1) / 2);
      greet(halves.inter, halves.odd == 0);
      MPI_Migrate();
      greet(halves.inter, halves.odd == 0);
    });
  }
}

TEST_P(Intercomm, MergeOrdersLowBeforeHigh) {
  for (const int ranks : {2, 5, 16}) {
    run(ranks, [](int rank, int size) {
      const Halves halves(rank, size);
      for (const bool odd_high : {true, false}) {
        MPI_Comm merged = MPI_COMM_NULL;
        MPI_Intercomm_merge(halves.inter, static_cast<int>((halves.odd != 0) == odd_high), &merged);
        int number = 0;
        int count = 0;
        MPI_Comm_rank(merged, &number);
        MPI_Comm_size(merged, &count);
        EXPECT_EQ(count, size);
        const int before = odd_high ? (size + 1) / 2 : size / 2;
        EXPECT_EQ(number, rank / 2 + ((halves.odd != 0) == odd_high ? before : 0));
        MPI_Comm_free(&merged);
      }
      MPI_Comm same = MPI_COMM_NULL;
      MPI_Intercomm_merge(halves.inter, 1, &same);
      int count = 0;
      MPI_Comm_size(same, &count);
      EXPECT_EQ(count, size);
      MPI_Comm_free(&same);
    });
  }
}

TEST_P(Intercomm, CopiesAndPartsAreIntercommunicators) {
  for (const int ranks : {2, 5, 16}) {
    run(ranks, [](int rank, int size) {
      const Halves halves(rank, size);
      MPI_Comm copy = MPI_COMM_NULL;
      MPI_Comm_dup(halves.inter, &copy);
      int result = 0;
      MPI_Comm_compare(halves.inter, copy, &result);
      EXPECT_EQ(result, MPI_CONGRUENT);
      greet(copy, halves.odd == 0);
      MPI_Comm_free(&copy);
      // Colour 0 is on both sides, colour 1 only on the even side.
      MPI_Comm part = MPI_COMM_NULL;
      const bool apart = halves.odd == 0 && rank >= 4;
      MPI_Comm_split(halves.inter, apart ? 1 : 0, rank, &part);
      if (apart) {
        EXPECT_EQ(part, MPI_COMM_NULL);
      } else {
        greet(part, halves.odd == 0);
        MPI_Comm_free(&part);
      }
    });
  }
}

TEST_P(Intercomm, CreateTakesAGroupOfEachSide) {
  for (const int ranks : {2, 5, 16}) {
    run(ranks, [](int rank, int size) {
      const Halves halves(rank, size);
      MPI_Group all = MPI_GROUP_NULL;
      MPI_Comm_group(halves.inter, &all);
      const int first = 0;
      MPI_Group group = MPI_GROUP_NULL;
      MPI_Group_incl(all, 1, &first, &group);
      MPI_Comm pair = MPI_COMM_NULL;
      MPI_Comm_create(halves.inter, group, &pair);
      EXPECT_EQ(pair != MPI_COMM_NULL, rank < 2);
      if (pair != MPI_COMM_NULL) {
        greet(pair, rank == 0);
        MPI_Group remote = MPI_GROUP_NULL;
        MPI_Comm_remote_group(pair, &remote);
        int count = 0;
        MPI_Group_size(remote, &count);
        EXPECT_EQ(count, 1);
        MPI_Group_free(&remote);
        MPI_Comm_free(&pair);
      }
      MPI_Group_free(&group);
      MPI_Group_free(&all);
    });
  }
}

// Each rank starts its copy only after the next rank of its side has started its own, so that the first rank of each
// side starts last.
TEST_P(Intercomm, NonBlockingCopyDoesNotWaitForLaterMembers) {
  run(5, [](int rank, int size) {
    const Halves halves(rank, size);
    int local = 0;
    int count = 0;
    int word = 0;
    MPI_Comm_rank(halves.local, &local);
    MPI_Comm_size(halves.local, &count);
    if (local + 1 < count) {
      MPI_Recv(&word, 1, MPI_INT, local + 1, 0, halves.local, MPI_STATUS_IGNORE);
    }
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Comm_idup(halves.inter, &copy, &request), MPI_SUCCESS);
    if (local > 0) {
      MPI_Send(&word, 1, MPI_INT, local - 1, 0, halves.local);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    greet(copy, rank % 2 == 0);
    MPI_Comm_free(&copy);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
