// Partitioned communication: different partitions on both sides, made ready in any order, repeatedly, while ranks move.
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using PartitionedTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, PartitionedTest, kSettings, name_of);

struct Shape {
  int sends;
  int receives;
  int total;  // ints
};
constexpr Shape kShapes[] = {{1, 1, 64}, {8, 8, 64}, {16, 32, 64}, {64, 4, 64}, {33, 17, 561}, {3, 5, 15000}};

// A ring in which every rank sends to the next; `mark` makes the partitions ready.
template <typename CallSignature>
void go_round(int rank, int size, const Shape& shape, CallSignature&& mark) {
  const auto total = static_cast<std::size_t>(shape.total);
  std::vector<int> out(total), in(total);
  const int to = (rank + 1) % size;
  const int from = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Psend_init(out.data(), shape.sends, shape.total / shape.sends, MPI_INT, to, 7, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in.data(), shape.receives, shape.total / shape.receives, MPI_INT, from, 7, MPI_COMM_WORLD,
                 MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 4; ++round) {
    std::iota(out.begin(), out.end(), 1000 * rank + round);
    std::fill(in.begin(), in.end(), -1);
    MPI_Startall(2, requests);
    mark(requests[0], round);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    std::vector<int> expected(total);
    std::iota(expected.begin(), expected.end(), 1000 * from + round);
    EXPECT_EQ(in, expected) << "rank " << rank << ", round " << round;
    int count = 0;
    MPI_Get_count(&statuses[1], MPI_INT, &count);
    EXPECT_EQ(count, shape.total);
    EXPECT_EQ(statuses[1].MPI_SOURCE, from);
    EXPECT_EQ(statuses[1].MPI_TAG, 7);
    if (round == 1) {
      MPI_Migrate();  // while inactive
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

TEST_P(PartitionedTest, PartitionsMayDifferInNumber) {
  for (const int ranks : {1, 2, 5}) {
    run(ranks, [](int rank, int size) {
      for (const Shape& shape : kShapes) {
        go_round(rank, size, shape, [&](MPI_Request request, int) { MPI_Pready_range(0, shape.sends - 1, request); });
      }
    });
  }
}

TEST_P(PartitionedTest, PartitionsAreReadyInAnyOrderAndRanksMoveBetween) {
  run(4, [](int rank, int size) {
    for (const Shape& shape : kShapes) {
      go_round(rank, size, shape, [&](MPI_Request request, int round) {
        std::vector<int> odd;
        for (int i = 1; i < shape.sends; i += 2) {
          odd.push_back(i);
        }
        MPI_Pready_list(static_cast<int>(odd.size()), odd.data(), request);
        if (round % 2 == 0) {
          MPI_Migrate();  // active: some partitions are sent, some not
        } else {
          MPI_Barrier(MPI_COMM_WORLD);  // waits for nothing of the request
        }
        for (int i = (shape.sends - 1) / 2 * 2; i >= 0; i -= 2) {
          MPI_Pready(i, request);
        }
      });
    }
  });
}

TEST_P(PartitionedTest, ParrivedSeesEachPartitionAsItComes) {
  run(2, [](int rank, int) {
    constexpr int kSent = 8;
    constexpr int kReceived = 4;
    std::vector<int> data(64, rank == 0 ? 5 : 0);
    MPI_Request request;
    if (rank == 0) {
      MPI_Psend_init(data.data(), kSent, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      MPI_Start(&request);
      for (int i = kSent - 1; i >= 0; --i) {
        MPI_Pready(i, request);
        if (i % 2 == 0) {
          MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // it has seen this one
        }
      }
    } else {
      MPI_Precv_init(data.data(), kReceived, 16, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      int flag = 0;
      MPI_Parrived(request, 0, &flag);
      EXPECT_EQ(flag, 1) << "inactive";
      MPI_Start(&request);
      for (int p = kReceived - 1; p >= 0; --p) {
        for (flag = 0; flag == 0;) {
          MPI_Parrived(request, p, &flag);
        }
        EXPECT_EQ(data[static_cast<std::size_t>(16 * p)], 5);
        EXPECT_EQ(data[static_cast<std::size_t>(16 * p + 15)], 5);
        if (p > 0) {
          MPI_Parrived(request, p - 1, &flag);
          EXPECT_EQ(flag, 0) << "the sender waits for us";
        }
        MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
      }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_NE(request, MPI_REQUEST_NULL);
    MPI_Request_free(&request);
  });
}

TEST_P(PartitionedTest, PartitionsOfNothingComeOnceTheyAreReady) {
  run(1, [](int, int) {
    MPI_Request requests[2];
    MPI_Psend_init(nullptr, 2, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(nullptr, 2, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 2; ++round) {
      MPI_Startall(2, requests);
      int flag = 1;
      MPI_Parrived(requests[1], 0, &flag);
      EXPECT_EQ(flag, 0);
      MPI_Pready_range(0, 1, requests[0]);
      while (flag == 0) {
        MPI_Parrived(requests[1], 1, &flag);
      }
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

// Every other int of the receiver's buffer; the sender's partitions end within the receiver's elements.
TEST_P(PartitionedTest, ElementsWithGapsAndPartitionsThatCutThem) {
  run(2, [](int rank, int) {
    MPI_Datatype pair;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);  // ints 0 and 2; extent of 3 ints
    MPI_Type_commit(&pair);
    for (const int sends : {4, 12}) {  // 3 ints and 1: both cut pairs
      MPI_Request request;
      std::vector<int> data(18, -1);
      if (rank == 0) {
        std::iota(data.begin(), data.end(), 0);
        MPI_Psend_init(data.data(), sends, 12 / sends, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(0, sends - 1, request);
      } else {
        MPI_Precv_init(data.data(), 3, 2, pair, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        for (int flag = 0; flag == 0;) {
          MPI_Parrived(request, 1, &flag);
        }
        EXPECT_EQ(data[6], 4);
        EXPECT_EQ(data[11], 7);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; rank == 1 && i < 6; ++i) {
        const auto at = 3 * static_cast<std::size_t>(i);
        EXPECT_EQ(data[at], 2 * i);
        EXPECT_EQ(data[at + 1], -1);
        EXPECT_EQ(data[at + 2], 2 * i + 1);
      }
      MPI_Request_free(&request);
    }
    MPI_Type_free(&pair);
  });
}

TEST_P(PartitionedTest, TransfersMatchInTheOrderOfTheirInitialization) {
  run(2, [](int rank, int) {
    int values[3] = {10, 20, 30};
    MPI_Request requests[3];
    for (int i = 0; i < 3; ++i) {
      if (rank == 0) {
        MPI_Psend_init(&values[i], 1, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
      } else {
        values[i] = 0;
        MPI_Precv_init(&values[i], 1, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
      }
    }
    MPI_Request_free(&requests[0]);  // never started
    for (int i = 2; i >= 1; --i) {
      MPI_Start(&requests[i]);
      if (rank == 0) {
        MPI_Pready(0, requests[i]);
      }
    }
    MPI_Waitall(2, &requests[1], MPI_STATUSES_IGNORE);
    EXPECT_EQ(values[1], 20);
    EXPECT_EQ(values[2], 30);
    MPI_Request_free(&requests[1]);
    MPI_Request_free(&requests[2]);
  });
}

TEST_P(PartitionedTest, ProcNullAndWrongCalls) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int value = 0;
    MPI_Request request;
    MPI_Psend_init(&value, 2, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    EXPECT_EQ(MPI_Pready(0, request), MPI_ERR_REQUEST) << "not active";
    MPI_Start(&request);
    EXPECT_EQ(MPI_Pready(2, request), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pready_range(std::numeric_limits<int>::min(), 1, request), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pready_range(0, 1, request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Pready(1, request), MPI_ERR_ARG) << "twice";
    int flag = 0;
    EXPECT_EQ(MPI_Parrived(request, 0, &flag), MPI_ERR_REQUEST) << "a send";
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    EXPECT_EQ(MPI_Precv_init(&value, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
              MPI_ERR_RANK);
    EXPECT_EQ(MPI_Psend_init(&value, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_ARG);
    MPI_Precv_init(&value, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    MPI_Request_free(&request);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
