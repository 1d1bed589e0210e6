// Buffered sends: they never wait for the receiver, and fail when the buffer is too small.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using BufferedSends = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, BufferedSends, kSettings, name_of);

// The buffer is attached by the large-count form; its memory is never accessed.
TEST_P(BufferedSends, ABufferWhoseSizeIsNoIntStaysAttached) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    constexpr MPI_Count kBytes = MPI_Count{3} << 30;
    char nothing = 0;
    void* address = nullptr;
    int bytes = 7;
    EXPECT_EQ(MPI_Buffer_attach_c(&nothing, kBytes), MPI_SUCCESS);
    EXPECT_EQ(MPI_Buffer_detach(&address, &bytes), MPI_ERR_VALUE_TOO_LARGE);
    EXPECT_EQ(bytes, 7);
    MPI_Count all = 0;
    EXPECT_EQ(MPI_Buffer_detach_c(&address, &all), MPI_SUCCESS);
    EXPECT_EQ(all, kBytes);
    EXPECT_EQ(address, &nothing);
  });
}

// Each rank sends much more than fits an eager message before it receives: only buffered sends allow that.
TEST_P(BufferedSends, DoNotWait) {
  run(2, [](int rank, int) {
    constexpr int kCount = 20000;
    constexpr int kMessages = 4;
    int needed = 0;
    MPI_Pack_size(kCount, MPI_INT, MPI_COMM_WORLD, &needed);
    std::vector<char> space(static_cast<std::size_t>(kMessages * (needed + MPI_BSEND_OVERHEAD)));
    MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
    for (int round = 0; round < 3; ++round) {
      std::vector<int> out(kCount);
      for (int i = 0; i < kMessages; ++i) {
        std::iota(out.begin(), out.end(), 1000 * rank + i);
        EXPECT_EQ(MPI_Bsend(out.data(), kCount, MPI_INT, 1 - rank, i, MPI_COMM_WORLD), MPI_SUCCESS);
        out.assign(kCount, -1);
      }
      for (int i = kMessages - 1; i >= 0; --i) {
        std::vector<int> in(kCount);
        MPI_Recv(in.data(), kCount, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(in.front(), 1000 * (1 - rank) + i);
        EXPECT_EQ(in.back(), 1000 * (1 - rank) + i + kCount - 1);
      }
      MPI_Buffer_flush();
    }
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
    EXPECT_EQ(address, space.data());
    EXPECT_EQ(size, static_cast<int>(space.size()));
  });
}

TEST_P(BufferedSends, TakeAsMuchAsTheAutomaticBufferNeeds) {
  run(2, [](int rank, int) {
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    std::vector<int> out(30000, rank);
    MPI_Request request;
    MPI_Ibsend(out.data(), 30000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    std::vector<int> in(30000, -1);
    MPI_Recv(in.data(), 30000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, std::vector<int>(30000, 1 - rank));
    void* address = nullptr;
    int size = -1;
    MPI_Buffer_detach(&address, &size);
    EXPECT_EQ(address, MPI_BUFFER_AUTOMATIC);
    EXPECT_EQ(size, 0);
  });
}

TEST_P(BufferedSends, StartAfterTheirCommunicatorIsFreed) {
  run(2, [](int rank, int) {
    std::vector<char> space(MPI_BSEND_OVERHEAD + sizeof(int));
    MPI_Buffer_attach(space.data(), static_cast<int>(space.size()));
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int in = -1;
    MPI_Request requests[2];
    MPI_Bsend_init(&rank, 1, MPI_INT, 1 - rank, 0, comm, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, 1 - rank, 0, comm, &requests[1]);
    MPI_Comm_free(&comm);
    EXPECT_EQ(MPI_Startall(2, requests), MPI_SUCCESS);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(in, 1 - rank);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
  });
}

TEST_P(BufferedSends, WithoutRoomAreErrors) {
  run(1, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int value = 1;
    int error_class = 0;
    MPI_Error_class(MPI_Bsend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_BUFFER);
    char space[MPI_BSEND_OVERHEAD + 8];
    MPI_Buffer_attach(space, sizeof space);
    std::vector<int> many(1000);
    MPI_Error_class(MPI_Bsend(many.data(), 1000, MPI_INT, 0, 0, MPI_COMM_WORLD), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_BUFFER);
    void* address = nullptr;
    int size = 0;
    MPI_Buffer_detach(&address, &size);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
