// Sending and receiving: order, wildcards, synchronous and ready sends, sizes, self-sends, MPI_PROC_NULL, MPI_Sendrecv.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using P2pTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, P2pTest, kSettings, name_of);

int count_of(const MPI_Status& status, MPI_Datatype type) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

TEST_P(P2pTest, RingPassesAToken) {
  run_all([](int rank, int size) {
    const int next = (rank + 1) % size;
    const int previous = (rank + size - 1) % size;
    int token = 17;
    MPI_Status status;
    if (rank == 0) {
      MPI_Request request;
      EXPECT_EQ(MPI_Isend(&token, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &request), MPI_SUCCESS);
      int back = 0;
      EXPECT_EQ(MPI_Recv(&back, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &status), MPI_SUCCESS);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(back, 17 + size - 1);
    } else {
      EXPECT_EQ(MPI_Recv(&token, 1, MPI_INT, previous, 5, MPI_COMM_WORLD, &status), MPI_SUCCESS);
      ++token;
      EXPECT_EQ(MPI_Send(&token, 1, MPI_INT, next, 5, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    EXPECT_TRUE(rank == 0 || status.MPI_SOURCE == previous);
    EXPECT_EQ(status.MPI_TAG, 5);
    EXPECT_EQ(count_of(status, MPI_INT), 1);
  });
}

// Messages of one sender with the same tag arrive in order, whatever their size; other tags do not hold them up.
TEST_P(P2pTest, KeepsTheOrderOfASendersMessages) {
  run(2, [](int rank, int) {
    constexpr int kMessages = 40;
    const auto length = [](int i) { return i % 3 == 0 ? 5000 : 1 + i; };  // 5000 ints are longer than an eager message
    if (rank == 0) {
      std::vector<std::vector<int>> data;
      std::vector<MPI_Request> requests(kMessages);
      for (int i = 0; i < kMessages; ++i) {
        data.emplace_back(static_cast<std::size_t>(length(i)), i);
        MPI_Isend(data.back().data(), length(i), MPI_INT, 1, i % 2, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(i)]);
      }
      MPI_Waitall(kMessages, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      for (int tag = 1; tag >= 0; --tag) {
        for (int i = tag; i < kMessages; i += 2) {
          std::vector<int> in(5000);
          MPI_Status status;
          MPI_Recv(in.data(), 5000, MPI_INT, 0, tag, MPI_COMM_WORLD, &status);
          EXPECT_EQ(count_of(status, MPI_INT), length(i));
          EXPECT_EQ(in[0], i);
          EXPECT_EQ(in[static_cast<std::size_t>(length(i) - 1)], i);
        }
      }
    }
  });
}

// The same in a flood: senders on other workers run far ahead of the receiver.
TEST_P(P2pTest, KeepsTheOrderOfManySendersMessages) {
  run(6, [](int rank, int size) {
    constexpr int kMessages = 600;
    constexpr int kLengths[] = {11520, 9216, 1, 100, 12960, 0, 40};
    const auto length = [&](int i) { return kLengths[static_cast<std::size_t>(i) % std::size(kLengths)]; };
    std::vector<char> bytes(20000);
    for (int i = 0; i < kMessages; ++i) {
      std::fill(bytes.begin(), bytes.end(), static_cast<char>(i));
      if (rank != 0) {
        MPI_Send(bytes.data(), length(i), MPI_CHAR, 0, 3, MPI_COMM_WORLD);
        continue;
      }
      for (int sender = 1; sender < size; ++sender) {
        MPI_Status status;
        bytes[0] = static_cast<char>(i + 1);
        MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_CHAR, sender, 3, MPI_COMM_WORLD, &status);
        ASSERT_EQ(count_of(status, MPI_CHAR), length(i)) << "message " << i << " of rank " << sender;
        ASSERT_EQ(bytes[0], static_cast<char>(length(i) == 0 ? i + 1 : i)) << "message " << i << " of rank " << sender;
      }
    }
  });
}

TEST_P(P2pTest, ReceivesFromAnySourceWithAnyTag) {
  run(5, [](int rank, int size) {
    if (rank != 0) {
      const int value = 100 * rank;
      MPI_Send(&value, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
      return;
    }
    std::vector<bool> seen(static_cast<std::size_t>(size));
    for (int i = 1; i < size; ++i) {
      int value = 0;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      EXPECT_EQ(value, 100 * status.MPI_SOURCE);
      EXPECT_EQ(status.MPI_TAG, status.MPI_SOURCE);
      EXPECT_FALSE(seen[static_cast<std::size_t>(status.MPI_SOURCE)]);
      seen[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    }
  });
}

TEST_P(P2pTest, ReceivesAThousandUnexpectedMessagesInAnyOrder) {
  run(2, [](int rank, int) {
    constexpr int kMessages = 1000;
    if (rank == 0) {
      for (int i = 0; i < kMessages; ++i) {
        MPI_Send(&i, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
      }
      MPI_Send(nullptr, 0, MPI_INT, 1, kMessages, MPI_COMM_WORLD);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, 0, kMessages, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = kMessages - 1; i >= 0; --i) {
        int value = -1;
        MPI_Recv(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(value, i);
      }
    }
  });
}

// A synchronous send ends only after its receive has begun; the receiver announces that by a message.
TEST_P(P2pTest, SynchronousSendWaitsForItsReceive) {
  run(2, [](int rank, int) {
    int value = rank;
    if (rank == 0) {
      MPI_Request request;
      MPI_Issend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
      int flag = 1;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      EXPECT_EQ(flag, 0);  // rank 1 receives only after the message below
      MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Ssend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
      for (const int tag : {2, 1, 3}) {
        MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(value, 0);
      }
    }
  });
}

TEST_P(P2pTest, ReadySendReachesAPostedReceive) {
  run(2, [](int rank, int) {
    std::vector<double> data(3000, rank == 0 ? 2.5 : 0.0);
    if (rank == 0) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Rsend(data.data(), 3000, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Irecv(data.data(), 3000, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(std::accumulate(data.begin(), data.end(), 0.0), 7500.0);
    }
  });
}

TEST_P(P2pTest, MessagesToOneselfArrive) {
  run(2, [](int rank, int) {
    for (const int length : {0, 1, 100, 100000}) {
      std::vector<int> out(static_cast<std::size_t>(length), rank + 7);
      std::vector<int> in(static_cast<std::size_t>(length), -1);
      MPI_Request request;
      MPI_Isend(out.data(), length, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
      MPI_Recv(in.data(), length, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, out);
    }
  });
}

TEST_P(P2pTest, ProcNullIsAPeer) {
  run(2, [](int, int) {
    int value = 42;
    MPI_Status status;
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    EXPECT_EQ(value, 42);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
    EXPECT_EQ(count_of(status, MPI_INT), 0);
    MPI_Request requests[2];
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(statuses[1].MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
    EXPECT_EQ(requests[1], MPI_REQUEST_NULL);
  });
}

TEST_P(P2pTest, LargeMessageArrivesWhole) {
  run(2, [](int rank, int) {
    constexpr int kCount = 1 << 21;  // 16 MiB of doubles
    std::vector<double> data(kCount);
    if (rank == 0) {
      std::iota(data.begin(), data.end(), 0.0);
      MPI_Send(data.data(), kCount, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      MPI_Recv(data.data(), kCount, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &status);
      EXPECT_EQ(count_of(status, MPI_DOUBLE), kCount);
      for (int i = 0; i < kCount; ++i) {
        ASSERT_EQ(data[static_cast<std::size_t>(i)], i);
      }
    }
  });
}

// More bytes than an int counts, in one message whose blocks all lie on the same bytes at both ends.
TEST_P(P2pTest, MessageOfMoreThanTwoGibibytesIsCounted) {
  if (GetParam().processes > 1) {
    GTEST_SKIP() << "elements with gaps are packed for another process: twice 2 GiB of memory";
  }
  if (kSanitized && GetParam().workers > 1) {
    GTEST_SKIP() << "takes long, and the count is the same for any number of workers";
  }
  run(2, [](int rank, int) {
    constexpr int kBlock = 1 << 20;
    constexpr MPI_Count kCount = (MPI_Count{1} << 11) + 3;
    MPI_Datatype block;
    MPI_Datatype folded;
    MPI_Type_contiguous(kBlock, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, 0, &folded);
    MPI_Type_commit(&folded);
    MPI_Status status;
    std::string text(kBlock, rank == 0 ? 'x' : '-');
    if (rank == 0) {
      MPI_Send_c(text.data(), kCount, folded, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv_c(text.data(), kCount, folded, 0, 0, MPI_COMM_WORLD, &status);
      MPI_Count count = 0;
      MPI_Get_count_c(&status, MPI_BYTE, &count);
      EXPECT_EQ(count, kCount * kBlock);
      EXPECT_EQ(count_of(status, MPI_BYTE), MPI_UNDEFINED);
      EXPECT_EQ(text, std::string(kBlock, 'x'));
    }
    MPI_Type_free(&block);
    MPI_Type_free(&folded);
  });
}

TEST_P(P2pTest, SendrecvShiftsAroundTheRing) {
  run_all([](int rank, int size) {
    for (const int length : {1, 10000}) {
      std::vector<int> out(static_cast<std::size_t>(length), rank);
      std::vector<int> in(static_cast<std::size_t>(length), -1);
      MPI_Status status;
      const int next = (rank + 1) % size;
      const int previous = (rank + size - 1) % size;
      MPI_Sendrecv(out.data(), length, MPI_INT, next, 1, in.data(), length, MPI_INT, previous, 1, MPI_COMM_WORLD,
                   &status);
      EXPECT_EQ(in, std::vector<int>(static_cast<std::size_t>(length), previous));
      EXPECT_EQ(status.MPI_SOURCE, previous);
      MPI_Sendrecv_replace(out.data(), length, MPI_INT, next, 2, previous, 2, MPI_COMM_WORLD, &status);
      EXPECT_EQ(out, in);
      MPI_Request requests[2];
      MPI_Isendrecv(out.data(), length, MPI_INT, next, 3, in.data(), length, MPI_INT, previous, 3, MPI_COMM_WORLD,
                    &requests[0]);
      MPI_Wait(&requests[0], &status);
      EXPECT_EQ(in[0], (rank + 2 * size - 2) % size);
      EXPECT_EQ(count_of(status, MPI_INT), length);
      MPI_Isendrecv_replace(out.data(), length, MPI_INT, previous, 4, next, 4, MPI_COMM_WORLD, &requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      EXPECT_EQ(out.back(), rank);
    }
  });
}

TEST_P(P2pTest, TruncationIsReported) {
  run(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const int length : {10, 10000}) {
      std::vector<int> data(static_cast<std::size_t>(length), 3);
      if (rank == 0) {
        EXPECT_EQ(MPI_Send(data.data(), length, MPI_INT, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        EXPECT_EQ(MPI_Send(data.data(), length, MPI_INT, 1, 1, MPI_COMM_WORLD), MPI_SUCCESS);
        continue;
      }
      std::vector<int> in(static_cast<std::size_t>(length), 8);
      int error_class = 0;
      MPI_Error_class(MPI_Recv(in.data(), 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &error_class);
      EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
      EXPECT_EQ(in[3], 3);
      EXPECT_EQ(in[4], 8);
      MPI_Request requests[2];
      MPI_Status statuses[2];
      MPI_Irecv(in.data(), 4, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(in.data(), 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Error_class(MPI_Waitall(2, requests, statuses), &error_class);
      EXPECT_EQ(error_class, MPI_ERR_IN_STATUS);
      EXPECT_EQ(statuses[0].MPI_ERROR, MPI_ERR_TRUNCATE);
      EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
    }
  });
}

// The error class of each wrong argument.
TEST_P(P2pTest, WrongArgumentsAreNamed) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int value = 0;
    EXPECT_EQ(class_of(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD)), MPI_ERR_COUNT);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD)), MPI_ERR_RANK);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD)), MPI_ERR_RANK);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD)), MPI_ERR_TAG);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD)), MPI_ERR_TAG);
    EXPECT_EQ(class_of(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL)), MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Send(nullptr, 1, MPI_INT, 0, 0, MPI_COMM_WORLD)), MPI_ERR_BUFFER);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    EXPECT_EQ(class_of(MPI_Send(&value, 0, pair, 0, 0, MPI_COMM_WORLD)), MPI_ERR_TYPE);
    MPI_Type_free(&pair);
    EXPECT_EQ(class_of(MPI_Recv(&value, 1, MPI_INT, 5, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)), MPI_ERR_RANK);
    EXPECT_EQ(class_of(MPI_Recv(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)), MPI_ERR_TAG);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
