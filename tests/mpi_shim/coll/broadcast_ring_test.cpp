// Short MPI_Bcasts, whose roots do not wait: their data, and the errors of members whose calls do not match.
#include <algorithm>
#include <vector>

#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollBroadcastRing : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollBroadcastRing, kSettings, name_of);

int bcast_ints(int count, int root) {
  std::vector<int> data(static_cast<std::size_t>(count));
  return class_of(MPI_Bcast(data.data(), count, MPI_INT, root, MPI_COMM_WORLD));
}

int barrier() { return class_of(MPI_Barrier(MPI_COMM_WORLD)); }

// `to` continues only after `from` has called this.
void after(int rank, int from, int to) {
  if (rank == from) {
    MPI_Send(nullptr, 0, MPI_INT, to, 99, MPI_COMM_WORLD);
  } else if (rank == to) {
    MPI_Recv(nullptr, 0, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Every call's data is computed from that of the call before: a member that reads too early or too late corrupts it.
TEST_P(CollBroadcastRing, BringsEveryLengthFromRootsInTurn) {
  run_all([](int rank, int size) {
    constexpr int kLengthsHere[] = {1, 12, 13, 100, 256, 257, 0, 2};
    int state = 1;
    for (int round = 0; round < 400; ++round) {
      const int root = round < 100 ? 0 : round < 300 ? round % size : (round / 20) % size;
      const int n = kLengthsHere[round % 8];
      std::vector<int> data(static_cast<std::size_t>(n), -1);
      if (rank == root) {
        std::fill(data.begin(), data.end(), state);
      }
      ASSERT_EQ(MPI_Bcast(data.data(), n, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
      ASSERT_EQ(data, std::vector<int>(static_cast<std::size_t>(n), state)) << "round " << round;
      state = 3 * state % 1009 + 1;
      if (round % 60 == 7) {
        ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
      }
      if (round % 50 == 3) {
        MPI_Migrate();
      }
    }
  });
}

TEST_P(CollBroadcastRing, LetsTheRootGoOn) {
  run(3, [](int rank, int) {
    for (int round = 0; round < 20; ++round) {
      if (rank == 1) {
        after(rank, 0, 1);  // the root sends it after its call
      }
      int x = rank == 0 ? round : -1;
      ASSERT_EQ(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
      ASSERT_EQ(x, round);
      if (rank == 0) {
        after(rank, 0, 1);
      }
    }
  });
}

// Late members: a reader that the root sleeps for because the ring is full, and a root that all sleep for.
TEST_P(CollBroadcastRing, WaitsForLateMembers) {
  run(5, [](int rank, int) {
    for (const int late : {0, 3}) {
      if (rank == late) {
        const double until = MPI_Wtime() + 2e-3;
        while (MPI_Wtime() < until) {
          int flag = 0;
          MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
      }
      for (int round = 0; round < 70; ++round) {
        int x = rank == 0 ? round : -1;
        ASSERT_EQ(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        ASSERT_EQ(x, round);
      }
    }
  });
}

// The root broadcasts only when its non-blocking call is complete, which needs messages that the others forward while
// they wait for the broadcast.
TEST_P(CollBroadcastRing, KeepsPendingCallsMoving) {
  run(5, [](int rank, int size) {
    for (int round = 0; round < 20; ++round) {
      MPI_Request requests[2];
      const int root = round % size;
      std::vector<int> parts(static_cast<std::size_t>(size)), mine(2000, rank), all(2000);
      MPI_Iallgather(&rank, 1, MPI_INT, parts.data(), 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
      MPI_Ireduce(mine.data(), all.data(), 2000, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &requests[1]);
      if (rank == root) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT_EQ(all[1999], size * (size - 1) / 2);
      }
      int x = rank == root ? round : -1;
      ASSERT_EQ(MPI_Bcast(&x, 1, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
      ASSERT_EQ(x, round);
      if (rank != root) {
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      }
      ASSERT_EQ(parts[static_cast<std::size_t>(size) - 1], size - 1);
    }
  });
}

// --- members whose calls do not match ---

class CollBroadcastRingErrors : public MpiTest {
 protected:
  void SetUp() override {
    if (by_messages()) {
      GTEST_SKIP() << "members in several processes do not compare calls";
    }
  }
  void run_returning(int ranks, const Body& body) {
    run(ranks, [&](int rank, int size) {
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      body(rank, size);
      // After the errors all members make the same calls again.
      for (int round = 0; round < 40; ++round) {
        int x = rank == round % size ? round : -1;
        EXPECT_EQ(MPI_Bcast(&x, 1, MPI_INT, round % size, MPI_COMM_WORLD), MPI_SUCCESS);
        EXPECT_EQ(x, round);
      }
      EXPECT_EQ(barrier(), MPI_SUCCESS);
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, CollBroadcastRingErrors, kSettings, name_of);

TEST_P(CollBroadcastRingErrors, AMemberWithAnotherRootGetsAnError) {
  run_returning(4, [](int rank, int) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(bcast_ints(3, rank == 2 ? 1 : 0), rank == 2 ? MPI_ERR_ROOT : MPI_SUCCESS);
    }
  });
}

TEST_P(CollBroadcastRingErrors, AMemberWithAnotherLengthGetsAnError) {
  run_returning(4, [](int rank, int) {
    for (int round = 0; round < 20; ++round) {
      EXPECT_EQ(bcast_ints(rank == 1 ? 200 : 3, 0), rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
  });
}

// A length for which members synchronize at a barrier, whichever member enters first.
TEST_P(CollBroadcastRingErrors, AMemberWithALongLengthGetsAnError) {
  for (const bool root_first : {false, true}) {
    run_returning(4, [&](int rank, int) {
      for (int round = 0; round < 20; ++round) {
        const int first = root_first ? 0 : 3;
        if (rank != first) {
          after(rank, first, 3 - first);
        } else if (!root_first) {
          after(rank, 3, 0);  // both enter the barrier at about the same time
        }
        const int found = bcast_ints(rank == 3 ? 5000 : 3, 0);
        EXPECT_TRUE(found == MPI_ERR_TRUNCATE || (rank != 3 && found == MPI_SUCCESS)) << found;
        if (rank == first && root_first) {
          after(rank, 0, 3);
        }
        EXPECT_EQ(barrier(), MPI_SUCCESS);
      }
    });
  }
}

TEST_P(CollBroadcastRingErrors, TheSecondRootGetsAnError) {
  run_returning(4, [](int rank, int) {
    for (int round = 0; round < 20; ++round) {
      if (rank == 3) {
        after(rank, 0, 3);
      }
      EXPECT_EQ(bcast_ints(3, rank == 3 ? 3 : 0), rank == 3 ? MPI_ERR_ROOT : MPI_SUCCESS);
      if (rank == 0) {
        after(rank, 0, 3);
      }
      EXPECT_EQ(barrier(), MPI_SUCCESS);
    }
  });
}

#ifndef __SANITIZE_THREAD__  // both roots may write to the ring at the same time
TEST_P(CollBroadcastRingErrors, TwoRootsAtOnceAreFoundAtTheNextBarrier) {
  run_returning(3, [](int rank, int) {
    for (int round = 0; round < 50; ++round) {
      int has_error = bcast_ints(3, rank % 2) == MPI_ERR_ROOT ? 1 : 0;
      has_error |= barrier() == MPI_ERR_ROOT ? 1 : 0;
      int any_error = 0;
      EXPECT_EQ(MPI_Allreduce(&has_error, &any_error, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(any_error, 1);
    }
  });
}
#endif

// The others wait for a broadcast that has no root: all get an error, as at a barrier.
TEST_P(CollBroadcastRingErrors, AllGetAnErrorWhenTheRootIsInAnotherCall) {
  run_returning(4, [](int rank, int) {
    for (int round = 0; round < 20; ++round) {
      const int root = round % 4;
      EXPECT_EQ(rank == root ? barrier() : bcast_ints(3, root), MPI_ERR_ARG);
    }
  });
}

TEST_P(CollBroadcastRingErrors, AMemberInAnotherCallGetsAnError) {
  for (const bool early : {false, true}) {
    run_returning(4, [&](int rank, int) {
      for (int round = 0; round < 20; ++round) {
        if (rank == 2) {
          if (!early) {
            after(rank, 0, 2);
          }
          EXPECT_EQ(barrier(), MPI_ERR_ARG);
        } else {
          const int found = bcast_ints(3, 0);
          EXPECT_TRUE(found == MPI_SUCCESS || (early && found == MPI_ERR_ARG)) << found;
          if (!early) {
            after(rank, 0, 2);
          }
        }
      }
    });
  }
}

// When a member skips a call, its later calls meet the others' earlier ones.
TEST_P(CollBroadcastRingErrors, AMemberThatSkipsABroadcastGetsAnError) {
  run_returning(4, [](int rank, int) {
    if (rank != 1) {
      const int found = bcast_ints(3, 0);
      EXPECT_TRUE(found == MPI_SUCCESS || found == MPI_ERR_ARG) << found;
    }
    EXPECT_EQ(barrier() != MPI_SUCCESS, rank == 1);
    if (rank == 1) {
      EXPECT_EQ(barrier(), MPI_SUCCESS);
    }
  });
}

}  // namespace
}  // namespace weft::mpi_shim
