// Messages and collective calls by threads that ranks start.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

#include "tests/mpi_shim/entry/threads_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::mpi_shim {
namespace {

class Threads : public ThreadsTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Threads, kSettings, name_of);

TEST_P(Threads, EachTalksToItsPartner) {
  run_with_threads(6, [](int rank, int size) {
    const int other = rank ^ 1;
    in_threads(kThreads, [&](int t) {
      for (int i = 0; i < kRounds; ++i) {
        std::array<int, 3> out{rank, t, i};
        std::array<int, 3> in{};
        if (rank % 2 == 0) {
          MPI_Send(out.data(), 3, MPI_INT, other, t, MPI_COMM_WORLD);
          MPI_Recv(in.data(), 3, MPI_INT, other, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
          MPI_Recv(in.data(), 3, MPI_INT, other, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Ssend(out.data(), 3, MPI_INT, other, t, MPI_COMM_WORLD);
        }
        EXPECT_EQ(in, (std::array<int, 3>{other, t, i}));
      }
    });
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, size * (size - 1) / 2);
  });
}

TEST_P(Threads, LongMessagesArriveWhole) {
  constexpr int kLong = 100000;
  run_with_threads(4, [](int rank, int size) {
    in_threads(kThreads, [&](int t) {
      std::vector<int> out(kLong, 100 * rank + t);
      std::vector<int> in(kLong);
      MPI_Sendrecv(out.data(), kLong, MPI_INT, (rank + 1) % size, t, in.data(), kLong, MPI_INT,
                   (rank + size - 1) % size, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, std::vector<int>(kLong, 100 * ((rank + size - 1) % size) + t));
    });
  });
}

TEST_P(Threads, TheRankGoesOnMeanwhile) {
  run_with_threads(4, [](int rank, int size) {
    const RankThread thread([&] {
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, (rank + 1) % size, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, (rank + 1) % size);
    });
    for (int i = 0; i < kRounds; ++i) {
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(sum, size * (size - 1) / 2);
    }
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 77, MPI_COMM_WORLD);
  });
}

// Nothing is under way while all ranks wait, and yet there is no deadlock.
TEST_P(Threads, OneThatHasNotCalledYetMaySend) {
  run_with_threads(3, [](int rank, int) {
    const RankThread thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      MPI_Send(&rank, 1, MPI_INT, rank, 5, MPI_COMM_WORLD);
    });
    int in = -1;
    MPI_Recv(&in, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, rank);
  });
}

TEST_P(Threads, CollectivesOfSeveralCommunicatorsAtOnce) {
  run_with_threads(5, [](int rank, int size) {
    const CommOfEach comms;
    in_threads(kThreads, [&](int t) {
      const MPI_Comm comm = comms[t];
      for (int i = 0; i < kRounds; ++i) {
        const int mine = 10 * rank + t;
        int sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        EXPECT_EQ(sum, 5 * size * (size - 1) + size * t);
        int root = rank == i % size ? i : -1;
        MPI_Bcast(&root, 1, MPI_INT, i % size, comm);
        EXPECT_EQ(root, i);
        MPI_Barrier(comm);
      }
    });
  });
}

TEST_P(Threads, CommunicatorsAreMadeAtOnce) {
  run_with_threads(4, [](int rank, int size) {
    const CommOfEach comms;
    in_threads(kThreads, [&](int t) {
      for (int i = 0; i < 5; ++i) {
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_split(comms[t], rank % 2, rank, &made);
        int members = 0;
        MPI_Comm_size(made, &members);
        int ones = 0;
        const int one = 1;
        MPI_Allreduce(&one, &ones, 1, MPI_INT, MPI_SUM, made);
        EXPECT_EQ(ones, members);
        EXPECT_EQ(members, (size + 1 - rank % 2) / 2);
        MPI_Comm_free(&made);
      }
    });
  });
}

TEST_P(Threads, EachMessageIsProbedByOne) {
  run_with_threads(4, [](int rank, int size) {
    std::atomic<int> sum = 0;
    in_threads(kThreads + 1, [&](int t) {
      if (t == kThreads) {
        for (int i = 1; i <= kThreads * kRounds; ++i) {
          MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, i % 2, MPI_COMM_WORLD);
        }
        return;
      }
      for (int i = 0; i < kRounds; ++i) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status;
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        int in = 0;
        MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        EXPECT_EQ(status.MPI_TAG, in % 2);
        sum += in;
      }
    });
    EXPECT_EQ(sum, kThreads * kRounds * (kThreads * kRounds + 1) / 2);
  });
}

TEST_P(Threads, RequestsOfOneThreadGoOnInAnother) {
  run_with_threads(4, [](int rank, int size) {
    const CommOfEach comms;
    in_threads(kThreads, [&](int t) {
      for (int i = 0; i < 5; ++i) {
        std::array<MPI_Request, 3> requests{};
        int sum = 0;
        int in = -1;
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[t], &requests[0]);
        MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, t, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, t, MPI_COMM_WORLD, &requests[2]);
        if (t == 1) {
          int done = 0;
          while (done == 0) {
            MPI_Testall(3, requests.data(), &done, MPI_STATUSES_IGNORE);
          }
        } else {
          MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
        }
        EXPECT_EQ(sum, size * (size - 1) / 2);
        EXPECT_EQ(in, (rank + 1) % size);
      }
    });
  });
}

// The thread that has begun the collective call computes; another one that waits must go on with it.
TEST_P(Threads, WhoWaitsGoesOnWithTheOthersCollectives) {
  run_with_threads(3, [](int rank, int size) {
    std::atomic<bool> over = false;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const RankThread thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5 * rank));
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
        if (rank != 0) {
          while (!over) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == 0) {  // all others have been in it, computing
          for (int other = 0; other < size; ++other) {
            MPI_Send(&sum, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
          }
        }
      });
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      over = true;
    }
    EXPECT_EQ(sum, size * (size - 1) / 2);
    MPI_Comm_free(&comm);
  });
}

// Nobody polls: whoever waits sleeps, and what the operations wait for wakes one of the threads.
TEST_P(Threads, WhoWaitsWithCollectivesPendingSleeps) {
  EXPECT_TRUE(runtime::undisturbed(5, [&] {
    std::array<double, 3> used{};  // seconds, by rank
    run_with_threads(3, [&](int rank, int) {
      MPI_Comm comm = MPI_COMM_NULL;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Request barrier = MPI_REQUEST_NULL;
      if (rank != 0) {
        MPI_Ibarrier(comm, &barrier);
      }
      in_threads(2, [&](int t) {
        if (t == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          if (rank == 0) {
            MPI_Ibarrier(comm, &barrier);
          }
          MPI_Wait(&barrier, MPI_STATUS_IGNORE);
          MPI_Send(&rank, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
          return;
        }
        const double begin = runtime::seconds_of(CLOCK_THREAD_CPUTIME_ID);
        int in = -1;
        MPI_Recv(&in, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        used[static_cast<std::size_t>(rank)] = runtime::seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin;
        EXPECT_EQ(in, rank);
      });
      MPI_Comm_free(&comm);
    });
    return runtime::off("the most that a rank used", *std::ranges::max_element(used), 0, 0.01);
  }));
}

TEST_P(Threads, TwoWaitForCollectivesOfTwoCommunicators) {
  run_with_threads(4, [](int rank, int size) {
    std::array<MPI_Comm, 2> comms{};
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    in_threads(2, [&](int t) {
      const auto mine = static_cast<std::size_t>(t);
      for (int i = 0; i < kRounds; ++i) {
        // One thread's is under way while the other's ends, now the one first and now the other.
        if ((rank + t + i) % 3 == 0) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        MPI_Request request = MPI_REQUEST_NULL;
        std::vector<int> all(static_cast<std::size_t>(size), -1);
        int sum = 0;
        if (t == 0) {
          MPI_Iallgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comms[mine], &request);
        } else {
          MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[mine], &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(t == 0 ? all[static_cast<std::size_t>(size) - 1] : sum, t == 0 ? size - 1 : size * (size - 1) / 2);
      }
    });
  });
}

TEST_P(Threads, PartitionsAreMadeReadyWhileTheRankWaits) {
  run_with_threads(3, [](int rank, int size) {
    std::array<int, kThreads> out{};
    std::array<int, kThreads> in{};
    std::array<MPI_Request, 2> requests{};
    MPI_Psend_init(out.data(), kThreads, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in.data(), kThreads, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &requests[1]);
    for (int i = 0; i < 5; ++i) {
      MPI_Startall(2, requests.data());
      std::deque<RankThread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
          std::this_thread::sleep_for(std::chrono::milliseconds(t));
          out[static_cast<std::size_t>(t)] = 100 * rank + 10 * i + t;
          MPI_Pready(t, requests[0]);
        });
      }
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      for (int t = 0; t < kThreads; ++t) {
        EXPECT_EQ(in[static_cast<std::size_t>(t)], 100 * ((rank + size - 1) % size) + 10 * i + t);
      }
    }
    for (MPI_Request& request : requests) {
      MPI_Request_free(&request);
    }
  });
}

}  // namespace
}  // namespace weft::mpi_shim
