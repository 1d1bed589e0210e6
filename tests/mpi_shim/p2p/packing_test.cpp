// A rank's pending messages and requests survive its moves.
#include <array>
#include <numeric>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"
#include "weft.h"

namespace weft::mpi_shim {
namespace {

class MessagePacking : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, MessagePacking,
                         testing::Values(Setting{2, "rotate"}, Setting{2, "rotate", false, 1, true},
                                         Setting{3, "rotate", true, 1, true}, Setting{2, "rotate", false, 2}),
                         name_of);

constexpr int kLong = 5000;  // ints: longer than an eager message

void move() {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(MPI_Migrate(), MPI_SUCCESS);
  }
}

std::vector<int> counted(int count, int first) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Receives with wildcards are matched in the order in which they were posted, by messages sent after the moves.
TEST_P(MessagePacking, KeepsTheOrderOfPostedReceives) {
  run(4, [](int rank, int size) {
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    constexpr int kCount = 12;
    std::array<int, kCount> got{};
    std::array<MPI_Request, kCount> requests{};
    for (int i = 0; i < kCount; ++i) {
      const int source = i % 2 == 0 ? MPI_ANY_SOURCE : from;
      const int tag = i % 3 == 0 ? MPI_ANY_TAG : 7;
      MPI_Irecv(&got[static_cast<std::size_t>(i)], 1, MPI_INT, source, tag, MPI_COMM_WORLD,
                &requests[static_cast<std::size_t>(i)]);
    }
    MPI_Cancel(&requests[5]);
    MPI_Wait(&requests[5], MPI_STATUS_IGNORE);
    move();
    for (int i = 0; i < kCount - 1; ++i) {
      MPI_Send(&i, 1, MPI_INT, to, 7, MPI_COMM_WORLD);
    }
    MPI_Waitall(kCount, requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0, value = 0; i < kCount; ++i) {
      if (i != 5) {
        EXPECT_EQ(got[static_cast<std::size_t>(i)], value++) << i;
      }
    }
  });
}

// A column of an array, by a type whose handle is gone before the message moves.
TEST_P(MessagePacking, KeepsPendingSends) {
  run(4, [](int rank, int size) {
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    std::vector<int> column = counted(3 * kLong, rank);
    const std::vector<int> whole = counted(kLong, 1000 + rank);
    const int small = 77 + rank;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kLong, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::array<MPI_Request, 6> requests{};
    MPI_Isend(column.data(), 1, type, to, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&small, 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(whole.data(), kLong, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Ssend_init(column.data(), 1, type, to, 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&small, 1, MPI_INT, to, 5, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(whole.data(), kLong, MPI_INT, rank, 6, MPI_COMM_WORLD, &requests[5]);  // to itself
    MPI_Start(&requests[2]);
    MPI_Type_free(&type);
    move();
    MPI_Start(&requests[3]);
    move();
    std::vector<int> got(kLong);
    const auto receive = [&](int source, int tag) {
      MPI_Recv(got.data(), kLong, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    receive(rank, 6);
    EXPECT_EQ(got, whole);
    receive(from, 5);
    receive(from, 4);
    EXPECT_EQ(got[kLong - 1], from + 3 * (kLong - 1));
    move();  // some are complete, some are not
    receive(from, 3);
    EXPECT_EQ(got, counted(kLong, 1000 + from));
    receive(from, 2);
    EXPECT_EQ(got[0], 77 + from);
    receive(from, 1);
    EXPECT_EQ(got[1], from + 3);
    MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Start(&requests[2]);
    receive(from, 3);
    EXPECT_EQ(got, counted(kLong, 1000 + from));
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[2]);
    MPI_Request_free(&requests[3]);
  });
}

TEST_P(MessagePacking, KeepsScatteredReceivesAndExchanges) {
  run(4, [](int rank, int size) {
    const int to = (rank + 1) % size;
    const int from = (rank + size - 1) % size;
    std::vector<int> into(std::size_t{3} * kLong, -1);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kLong, 1, 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::array<MPI_Request, 4> requests{};
    MPI_Irecv(into.data(), 1, type, from, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(into.data() + 1, 1, type, from, 2, MPI_COMM_WORLD, &requests[1]);
    std::vector<int> replaced = counted(kLong, rank);
    MPI_Isendrecv_replace(replaced.data(), kLong, MPI_INT, to, 3, from, 3, MPI_COMM_WORLD, &requests[2]);
    const std::vector<int> out = counted(kLong, 50 + rank);
    MPI_Isendrecv(out.data(), kLong, MPI_INT, to, 4, into.data() + 2, 1, type, from, 5, MPI_COMM_WORLD, &requests[3]);
    MPI_Type_free(&type);
    MPI_Start(&requests[1]);
    move();
    const std::vector<int> values = counted(kLong, 10 * rank);
    for (const int tag : {2, 1, 5}) {
      MPI_Send(values.data(), kLong, MPI_INT, to, tag, MPI_COMM_WORLD);
    }
    std::vector<int> got(kLong);
    MPI_Recv(got.data(), kLong, MPI_INT, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, counted(kLong, 50 + from));
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(replaced, counted(kLong, from));
    for (int i = 0; i < 3 * kLong; ++i) {
      ASSERT_EQ(into[static_cast<std::size_t>(i)], 10 * from + i / 3);
    }
    MPI_Request_free(&requests[1]);
  });
}

TEST_P(MessagePacking, KeepsMatchedAndBufferedMessages) {
  for (const bool automatic : {false, true}) {
    run(3, [automatic](int rank, int size) {
      const int to = (rank + 1) % size;
      const int from = (rank + size - 1) % size;
      std::vector<char> memory(3 * (kLong * sizeof(int) + MPI_BSEND_OVERHEAD));
      MPI_Buffer_attach(automatic ? MPI_BUFFER_AUTOMATIC : memory.data(), static_cast<int>(memory.size()));
      const std::vector<int> values = counted(kLong, rank);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Issend(values.data(), 3, MPI_INT, to, 1, MPI_COMM_WORLD, &request);
      MPI_Bsend(values.data(), kLong, MPI_INT, to, 2, MPI_COMM_WORLD);
      MPI_Bsend(values.data(), kLong, MPI_INT, to, 3, MPI_COMM_WORLD);
      MPI_Bsend(values.data() + 1, kLong - 1, MPI_INT, rank, 4, MPI_COMM_WORLD);
      std::array<MPI_Message, 3> messages{};
      MPI_Mprobe(from, 1, MPI_COMM_WORLD, &messages[0], MPI_STATUS_IGNORE);
      MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &messages[1], MPI_STATUS_IGNORE);
      MPI_Mprobe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &messages[2], MPI_STATUS_IGNORE);
      move();
      std::vector<int> got(kLong);
      MPI_Recv(got.data(), kLong, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(got, counted(kLong, from));
      MPI_Mrecv(got.data(), kLong - 1, MPI_INT, &messages[2], MPI_STATUS_IGNORE);
      EXPECT_EQ(got[kLong - 2], rank + kLong - 1);
      move();
      MPI_Mrecv(got.data(), kLong, MPI_INT, &messages[1], MPI_STATUS_IGNORE);
      EXPECT_EQ(got, counted(kLong, from));
      MPI_Mrecv(got.data(), 3, MPI_INT, &messages[0], MPI_STATUS_IGNORE);
      EXPECT_EQ(got[2], from + 2);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      void* detached = nullptr;
      int size_of = 0;
      MPI_Buffer_detach(&detached, &size_of);
      EXPECT_EQ(detached, automatic ? MPI_BUFFER_AUTOMATIC : memory.data());
    });
  }
}

TEST_P(MessagePacking, KeepsGeneralizedRequests) {
  run(4, [](int rank, int) {
    int freed = 0;
    const auto query = [](void* state, MPI_Status* status) {
      MPI_Status_set_elements(status, MPI_INT, 3);
      status->MPI_TAG = *static_cast<int*>(state);
      return int{MPI_SUCCESS};
    };
    const auto release = [](void* state) {
      ++*static_cast<int*>(state);
      return int{MPI_SUCCESS};
    };
    const auto cancel = [](void*, int) { return int{MPI_SUCCESS}; };
    MPI_Request first = MPI_REQUEST_NULL;
    MPI_Request second = MPI_REQUEST_NULL;
    MPI_Grequest_start(query, release, cancel, &freed, &first);
    MPI_Grequest_start(query, release, cancel, &freed, &second);
    MPI_Grequest_complete(second);
    move();
    EXPECT_EQ(freed, 0) << rank;
    MPI_Grequest_complete(first);
    MPI_Status status;
    MPI_Wait(&first, &status);
    MPI_Wait(&second, &status);
    EXPECT_EQ(status.MPI_TAG, 1);
    EXPECT_EQ(freed, 2);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
