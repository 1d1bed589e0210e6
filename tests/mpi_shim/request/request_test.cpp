// Waiting and testing, persistent requests, cancelling, freeing.
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/request/progress.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using RequestTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, RequestTest, kSettings, name_of);

bool is_empty(const MPI_Status& status) {
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  return status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG && count == 0;
}

TEST_P(RequestTest, WaitallCompletesAHaloExchange) {
  run_all([](int rank, int size) {
    for (const int length : {3, 6000}) {
      std::vector<std::vector<int>> in(static_cast<std::size_t>(size));
      std::vector<int> out(static_cast<std::size_t>(length), rank);
      std::vector<MPI_Request> requests;
      for (int peer = 0; peer < size; ++peer) {
        in[static_cast<std::size_t>(peer)].resize(static_cast<std::size_t>(length));
        MPI_Irecv(in[static_cast<std::size_t>(peer)].data(), length, MPI_INT, peer, 1, MPI_COMM_WORLD,
                  &requests.emplace_back());
        MPI_Isend(out.data(), length, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests.emplace_back());
      }
      std::vector<MPI_Status> statuses(requests.size());
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
      for (int peer = 0; peer < size; ++peer) {
        const auto p = static_cast<std::size_t>(peer);
        EXPECT_EQ(in[p], std::vector<int>(static_cast<std::size_t>(length), peer));
        EXPECT_EQ(statuses[2 * p].MPI_SOURCE, peer);
        EXPECT_EQ(requests[2 * p], MPI_REQUEST_NULL);
      }
    }
  });
}

TEST_P(RequestTest, WaitanyReturnsEachRequestOnce) {
  run(5, [](int rank, int size) {
    if (rank != 0) {
      MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      return;
    }
    std::vector<int> values(static_cast<std::size_t>(size), -1);
    std::vector<MPI_Request> requests(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
    for (int peer = 1; peer < size; ++peer) {
      const auto p = static_cast<std::size_t>(peer);
      MPI_Irecv(&values[p], 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &requests[p]);
    }
    std::vector<int> seen;
    for (int i = 1; i < size; ++i) {
      int index = -1;
      MPI_Status status;
      MPI_Waitany(size, requests.data(), &index, &status);
      ASSERT_GE(index, 1);
      EXPECT_EQ(status.MPI_SOURCE, index);
      EXPECT_EQ(values[static_cast<std::size_t>(index)], index);
      EXPECT_EQ(requests[static_cast<std::size_t>(index)], MPI_REQUEST_NULL);
      seen.push_back(index);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
    int index = 0;
    MPI_Status status;
    MPI_Waitany(size, requests.data(), &index, &status);
    EXPECT_EQ(index, MPI_UNDEFINED);
    EXPECT_TRUE(is_empty(status));
  });
}

TEST_P(RequestTest, WaitanyAndTestanyTakeTheFirstThatIsDone) {
  run(1, [](int, int) {
    constexpr int kRequests = 6;
    std::array<MPI_Request, kRequests> requests;
    int value = 0;
    for (MPI_Request& request : requests) {
      MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    }
    for (int i = 0; i < kRequests; i += 2) {
      int index = -1;
      int flag = 0;
      MPI_Waitany(kRequests, requests.data(), &index, MPI_STATUS_IGNORE);
      EXPECT_EQ(index, i);
      MPI_Testany(kRequests, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 1);
      EXPECT_EQ(index, i + 1);
    }
  });
}

TEST_P(RequestTest, WaitsomeAndTestsomeServeAll) {
  run(5, [](int rank, int size) {
    constexpr int kRounds = 20;
    if (rank != 0) {
      for (int i = 0; i < kRounds; ++i) {
        MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      }
      return;
    }
    const auto peers = static_cast<std::size_t>(size - 1);
    std::vector<int> values(peers), next(peers), indices(peers);
    std::vector<MPI_Request> requests(peers);
    std::vector<MPI_Status> statuses(peers);
    const auto post = [&](std::size_t p) {
      MPI_Irecv(&values[p], 1, MPI_INT, static_cast<int>(p) + 1, 0, MPI_COMM_WORLD, &requests[p]);
    };
    for (std::size_t p = 0; p < peers; ++p) {
      post(p);
    }
    for (bool wait = true;; wait = !wait) {
      int count = 0;
      (wait ? MPI_Waitsome : MPI_Testsome)(size - 1, requests.data(), &count, indices.data(), statuses.data());
      if (count == MPI_UNDEFINED) {
        break;
      }
      EXPECT_TRUE(!wait || count > 0);
      for (int i = 0; i < count; ++i) {
        const auto p = static_cast<std::size_t>(indices[static_cast<std::size_t>(i)]);
        EXPECT_EQ(statuses[static_cast<std::size_t>(i)].MPI_SOURCE, static_cast<int>(p) + 1);
        EXPECT_EQ(values[p], next[p]);
        if (++next[p] < kRounds) {
          post(p);
        }
      }
    }
    EXPECT_EQ(next, std::vector<int>(peers, kRounds));
  });
}

// Programs that only ever test make progress, however many ranks share a worker.
TEST_P(RequestTest, SpinningOnTestsEnds) {
  run(5, [](int rank, int size) {
    std::array<int, 2> in{-1, -1};
    std::array<MPI_Request, 2> requests;
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    MPI_Irecv(&in[0], 1, MPI_INT, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, previous, 0, MPI_COMM_WORLD);
    int flag = 0;
    while (flag == 0) {
      MPI_Testall(2, requests.data(), &flag, MPI_STATUSES_IGNORE);
    }
    EXPECT_EQ(in, (std::array<int, 2>{previous, next}));

    MPI_Irecv(&in[0], 1, MPI_INT, previous, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Status status;
    for (flag = 0; flag == 0;) {
      MPI_Request_get_status(requests[0], &flag, &status);
    }
    EXPECT_EQ(status.MPI_SOURCE, previous);
    MPI_Test(&requests[0], &flag, &status);
    EXPECT_EQ(flag, 1);
    int index = 5;
    MPI_Testany(2, requests.data(), &index, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(index, MPI_UNDEFINED);
  });
}

TEST_P(RequestTest, NullRequestsHaveEmptyStatuses) {
  run(1, [](int, int) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status{};
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    EXPECT_TRUE(is_empty(status));
    status = {};
    int flag = 0;
    EXPECT_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_TRUE(is_empty(status));
    EXPECT_EQ(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  });
}

TEST_P(RequestTest, UnknownRequestIsAnError) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int value = 0;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Request stale = request;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int error_class = 0;
    MPI_Error_class(MPI_Wait(&stale, MPI_STATUS_IGNORE), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_REQUEST);
    MPI_Error_class(MPI_Request_free(&request), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_REQUEST);
  });
}

TEST_P(RequestTest, PersistentRequestsStartAgainAndAgain) {
  run(5, [](int rank, int size) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    std::vector<char> space(std::size_t{4} * MPI_BSEND_OVERHEAD);
    MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
    int out = 0;
    std::array<int, 4> in{};
    std::array<MPI_Request, 8> requests;
    MPI_Send_init(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Ssend_init(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Bsend_init(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Send_init(&out, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[3]);
    for (int i = 0; i < 3; ++i) {
      MPI_Recv_init(&in[static_cast<std::size_t>(i)], 1, MPI_INT, previous, i, MPI_COMM_WORLD,
                    &requests[4 + static_cast<std::size_t>(i)]);
    }
    MPI_Recv_init(&in[3], 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[7]);
    MPI_Status status;
    MPI_Wait(&requests[4], &status);  // inactive
    EXPECT_TRUE(is_empty(status));
    for (int round = 0; round < 10; ++round) {
      out = 100 * rank + round;
      MPI_Startall(7, &requests[0]);
      MPI_Start(&requests[7]);
      std::array<MPI_Status, 8> statuses;
      MPI_Waitall(8, requests.data(), statuses.data());
      EXPECT_EQ(in, (std::array<int, 4>{100 * previous + round, 100 * previous + round, 100 * previous + round, 0}));
      EXPECT_EQ(statuses[5].MPI_SOURCE, previous);
      EXPECT_EQ(statuses[7].MPI_SOURCE, MPI_PROC_NULL);
      EXPECT_NE(requests[0], MPI_REQUEST_NULL);
    }
    for (MPI_Request& request : requests) {
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
    }
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  });
}

TEST_P(RequestTest, CancelledReceiveTakesNoMessage) {
  run(2, [](int rank, int) {
    int value = -1;
    if (rank == 0) {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Status status;
      MPI_Wait(&request, &status);
      int cancelled = 0;
      MPI_Test_cancelled(&status, &cancelled);
      EXPECT_EQ(cancelled, 1);
      MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &status);
      EXPECT_EQ(value, 6);
      MPI_Test_cancelled(&status, &cancelled);
      EXPECT_EQ(cancelled, 0);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value = 6;
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
  });
}

TEST_P(RequestTest, CancelAfterTheMessageCameDoesNothing) {
  run(1, [](int, int) {
    int in = 0;
    const int out = 4;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT_EQ(cancelled, 0);
    EXPECT_EQ(in, 4);
  });
}

TEST_P(RequestTest, FreedSendArrives) {
  run(2, [](int rank, int) {
    std::vector<int> data(50000, rank == 0 ? 9 : 0);
    if (rank == 0) {
      MPI_Request request;
      MPI_Isend(data.data(), 50000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Request_free(&request);
      EXPECT_EQ(request, MPI_REQUEST_NULL);
      MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // the data was taken
    } else {
      MPI_Recv(data.data(), 50000, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(data, std::vector<int>(50000, 9));
      MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
  });
}

TEST_P(RequestTest, ManyRequestsAreHeldAndReused) {
  run(2, [](int rank, int) {
    constexpr int kRequests = 500;
    std::vector<int> values(kRequests);
    std::vector<MPI_Request> requests(kRequests);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < kRequests; ++i) {
        const auto r = static_cast<std::size_t>(i);
        if (rank == 0) {
          values[r] = i + round;
          MPI_Issend(&values[r], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[r]);
        } else {
          MPI_Irecv(&values[r], 1, MPI_INT, 0, kRequests - 1 - i, MPI_COMM_WORLD, &requests[r]);
        }
      }
      MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
      EXPECT_EQ(values[0], rank == 0 ? round : kRequests - 1 + round);
    }
    EXPECT_EQ(rank_state().requests.live(), 0U);
  });
}

// An operation of two steps, like a collective's: it progresses while its rank waits for something else.
class Relay final : public Operation {
 public:
  Relay(int from, int to) : to_(to) {
    MPI_Irecv(&value_, 1, MPI_INT, from, 77, MPI_COMM_WORLD, &handle_);
    pending_ = rank_state().requests.find(handle_);
  }
  Kind kind() const override { return Kind::exchange; }
  void pup(pup::Puper& /*p*/, runtime::Rank& /*owner*/) override { FAIL() << "it does not live until its rank moves"; }
  bool advance(RankState& me) override {
    if (pending_->done()) {
      MPI_Status status;
      complete_request(me, *pending_, handle_, &status);
      MPI_Send(&value_, 1, MPI_INT, to_, 78, MPI_COMM_WORLD);
      return true;
    }
    return false;
  }
  void add_awaited(std::vector<runtime::Request*>& awaited) override { awaited.push_back(&pending_->message); }

 private:
  int to_;
  int value_ = 0;
  MPI_Request handle_;
  PendingRequest* pending_;
};

TEST_P(RequestTest, OperationMovesWhileItsRankWaitsElsewhere) {
  run(3, [](int rank, int) {
    int value = 21;
    if (rank == 0) {
      MPI_Request request = add_operation(rank_state(), MPI_COMM_WORLD, std::make_unique<Relay>(1, 2));
      MPI_Recv(&value, 1, MPI_INT, 2, 79, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // comes only after the relay
      EXPECT_EQ(value, 22);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Send(&value, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_INT, 0, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      ++value;
      MPI_Send(&value, 1, MPI_INT, 0, 79, MPI_COMM_WORLD);
    }
  });
}

// A completed message must not keep the rank from waiting for the operation in the same call.
TEST_P(RequestTest, WaitallSleepsForAnExchangeAfterItsMessagesAreDone) {
  run(2, [](int rank, int) {
    int early = -1;
    int late = -1;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (rank == 0) {
      MPI_Irecv(&early, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isendrecv(&rank, 1, MPI_INT, 1, 2, &late, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(early, 10);
      EXPECT_EQ(late, 20);
    } else {
      const int values[] = {10, 20};
      MPI_Send(&values[0], 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      int flag = 0;
      for (int i = 0; i < 100; ++i) {  // lets rank 0 see the first message alone
        MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      MPI_Sendrecv(&values[1], 1, MPI_INT, 0, 2, &late, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(late, 0);
    }
  });
}

}  // namespace
}  // namespace weft::mpi_shim
