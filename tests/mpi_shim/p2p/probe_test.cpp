// Probing, matched probes and receives.
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using ProbeTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, ProbeTest, kSettings, name_of);

TEST_P(ProbeTest, ProbeGivesTheLengthOfTheMessage) {
  run(2, [](int rank, int) {
    for (const int length : {0, 10, 9000}) {
      std::vector<int> data(static_cast<std::size_t>(length), 2);
      if (rank == 0) {
        MPI_Send(data.data(), length, MPI_INT, 1, length, MPI_COMM_WORLD);
        continue;
      }
      MPI_Status status;
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      int count = -1;
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT_EQ(count, length);
      EXPECT_EQ(status.MPI_TAG, length);
      std::vector<int> in(static_cast<std::size_t>(count));
      MPI_Recv(in.data(), count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, data);
    }
  });
}

TEST_P(ProbeTest, SpinningOnIprobeEnds) {
  run(5, [](int rank, int size) {
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    int flag = 0;
    MPI_Status status;
    while (flag == 0) {
      MPI_Iprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &flag, &status);
    }
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(value, (rank + size - 1) % size);
    MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(flag, 0);
    MPI_Iprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &flag, &status);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  });
}

// A message that a matched probe has taken is not found by other receives.
TEST_P(ProbeTest, MatchedMessageIsReceivedByItsHandleOnly) {
  run(2, [](int rank, int) {
    for (const int length : {1, 9000}) {
      std::vector<int> data(static_cast<std::size_t>(length));
      if (rank == 0) {
        std::vector<std::vector<int>> out;
        MPI_Request requests[3];
        for (const int value : {1, 2, 3}) {
          out.emplace_back(data.size(), value);
          MPI_Isend(out.back().data(), length, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[value - 1]);
        }
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        continue;
      }
      MPI_Message first = MPI_MESSAGE_NULL;
      MPI_Message second = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Mprobe(0, 0, MPI_COMM_WORLD, &first, &status);
      int count = 0;
      MPI_Get_count(&status, MPI_INT, &count);
      EXPECT_EQ(count, length);
      int flag = 0;
      while (flag == 0) {
        MPI_Improbe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &second, &status);
      }
      MPI_Recv(data.data(), length, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(data.back(), 3);
      MPI_Request request;
      MPI_Imrecv(data.data(), length, MPI_INT, &second, &request);
      EXPECT_EQ(second, MPI_MESSAGE_NULL);
      MPI_Wait(&request, &status);
      EXPECT_EQ(data.back(), 2);
      EXPECT_EQ(status.MPI_SOURCE, 0);
      MPI_Mrecv(data.data(), length, MPI_INT, &first, &status);
      EXPECT_EQ(first, MPI_MESSAGE_NULL);
      EXPECT_EQ(data.back(), 1);
    }
  });
}

TEST_P(ProbeTest, MatchedReceiveFromProcNull) {
  run(1, [](int, int) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
    int value = 3;
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
    EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
    EXPECT_EQ(value, 3);
  });
}

TEST_P(ProbeTest, MatchedReceiveReportsTruncation) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int out[3] = {1, 2, 3};
    MPI_Request request;
    MPI_Isend(out, 3, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    int in[3] = {};
    int error_class = 0;
    MPI_Error_class(MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TRUNCATE);
    EXPECT_EQ(in[1], 2);
    EXPECT_EQ(in[2], 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
