// Sessions beside and instead of MPI_Init, their process sets and communicators, and the buffers of each.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using SessionTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, SessionTest, kSettings, name_of);

struct OpenSession {
  OpenSession() {
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "weft.session.test", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  }
  ~OpenSession() {
    MPI_Comm_free(&comm);
    MPI_Group_free(&world);
    EXPECT_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    EXPECT_EQ(session, MPI_SESSION_NULL);
  }
  MPI_Session session = MPI_SESSION_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
};

TEST_P(SessionTest, WorksWithoutInitAgainAndAgain) {
  for (const int ranks : {1, 5}) {
    const int code = run_bare(ranks, [](int rank, int size) {
      for (int time = 0; time < 3; ++time) {
        const OpenSession open;
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, open.comm);
        EXPECT_EQ(sum, size * (size - 1) / 2);
        MPI_Migrate();
        int flag = 1;
        MPI_Initialized(&flag);
        EXPECT_EQ(flag, 0);
        MPI_Barrier(open.comm);
      }
      EXPECT_TRUE(leaks_of(rank_state()).empty());
    });
    EXPECT_EQ(code, 0);
  }
}

TEST_P(SessionTest, OutlivesTheWorldAndStartsBeforeIt) {
  const int code = run_bare(3, [](int, int size) {
    const OpenSession open;
    MPI_Init(nullptr, nullptr);
    int value = 1;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(value, size);
    MPI_Finalize();
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, open.comm);
    EXPECT_EQ(value, size * size);
    int flag = 0;
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 1);
  });
  EXPECT_EQ(code, 0);
}

TEST_P(SessionTest, NamesItsProcessSets) {
  run(4, [](int, int size) {
    const OpenSession open;
    int sets = 0;
    MPI_Session_get_num_psets(open.session, MPI_INFO_NULL, &sets);
    ASSERT_EQ(sets, 2);
    const std::vector<std::string> expected{"mpi://WORLD", "mpi://SELF"};
    for (int n = 0; n < sets; ++n) {
      int length = 0;
      MPI_Session_get_nth_pset(open.session, MPI_INFO_NULL, n, &length, nullptr);
      std::string name(static_cast<std::size_t>(length), '\0');
      MPI_Session_get_nth_pset(open.session, MPI_INFO_NULL, n, &length, name.data());
      name.pop_back();
      EXPECT_EQ(name, expected[static_cast<std::size_t>(n)]);
      MPI_Info info = MPI_INFO_NULL;
      MPI_Session_get_pset_info(open.session, name.c_str(), &info);
      char text[16];
      int flag = 0;
      MPI_Info_get(info, "mpi_size", 15, text, &flag);
      EXPECT_EQ(std::string(text), std::to_string(n == 0 ? size : 1));
      MPI_Info_free(&info);
    }
    char cut[4];
    int length = 4;
    MPI_Session_get_nth_pset(open.session, MPI_INFO_NULL, 1, &length, cut);
    EXPECT_STREQ(cut, "mpi");
    EXPECT_EQ(length, 11);
    MPI_Group group = MPI_GROUP_EMPTY;
    EXPECT_EQ(MPI_Group_from_session_pset(open.session, "mpi://nobody", &group), MPI_ERR_ARG);
    EXPECT_EQ(group, MPI_GROUP_NULL);
    EXPECT_EQ(MPI_Session_get_nth_pset(open.session, MPI_INFO_NULL, 2, &length, nullptr), MPI_ERR_ARG);
  });
}

int heard_code = 0;
void hear(MPI_Session* session, int* code, ...) {
  EXPECT_NE(*session, MPI_SESSION_NULL);
  heard_code = *code;
}

TEST_P(SessionTest, ErrorsGoToItsHandler) {
  run(1, [](int, int) {
    const OpenSession open;
    MPI_Errhandler handler, found;
    MPI_Session_create_errhandler(hear, &handler);
    EXPECT_EQ(MPI_Session_set_errhandler(open.session, handler), MPI_SUCCESS);
    MPI_Session_get_errhandler(open.session, &found);
    EXPECT_EQ(found, handler);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    heard_code = 0;
    MPI_Session_call_errhandler(open.session, MPI_ERR_OTHER);
    EXPECT_EQ(heard_code, MPI_ERR_OTHER);
    EXPECT_EQ(MPI_Session_get_num_psets(open.session, MPI_INFO_NULL, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(heard_code, MPI_ERR_ARG);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int sets = 0;
    EXPECT_EQ(MPI_Session_get_num_psets(MPI_SESSION_NULL, MPI_INFO_NULL, &sets), MPI_ERR_SESSION);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MANY");
    MPI_Session wrong = MPI_SESSION_NULL;
    EXPECT_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &wrong), MPI_ERR_INFO_VALUE);
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Comm_create_from_group(open.world, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Session_finalize(&wrong), MPI_ERR_SESSION);
  });
}

TEST_P(SessionTest, TwoGroupsMakeAnIntercommunicator) {
  run(5, [](int rank, int size) {
    const OpenSession open;
    const int half = size / 2;
    int ranges[1][3] = {{0, half - 1, 1}};
    MPI_Group low, high;
    MPI_Group_range_incl(open.world, 1, ranges, &low);
    MPI_Group_range_excl(open.world, 1, ranges, &high);
    const bool is_low = rank < half;
    MPI_Comm inter = MPI_COMM_NULL;
    // Only the leaders, the last of each group, pass the remote group.
    const bool leads = rank == half - 1 || rank == size - 1;
    ASSERT_EQ(MPI_Intercomm_create_from_groups(is_low ? low : high, (is_low ? half : size - half) - 1,
                                               !leads   ? MPI_GROUP_NULL
                                               : is_low ? high
                                                        : low,
                                               (is_low ? size - half : half) - 1, "pair", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &inter),
              MPI_SUCCESS);
    int remote = 0;
    MPI_Comm_remote_size(inter, &remote);
    EXPECT_EQ(remote, is_low ? size - half : half);
    int sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    const int low_sum = half * (half - 1) / 2;
    EXPECT_EQ(sum, is_low ? size * (size - 1) / 2 - low_sum : low_sum);
    MPI_Comm_free(&inter);
    MPI_Group_free(&low);
    MPI_Group_free(&high);
  });
}

// Bsends to itself take the communicator's buffer before the session's before the rank's.
TEST_P(SessionTest, BufferedSendsFindTheirBuffer) {
  run(2, [](int rank, int) {
    const OpenSession open;
    MPI_Comm copy;
    MPI_Comm_dup(open.comm, &copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::vector<char> small(MPI_BSEND_OVERHEAD + 8), middle(MPI_BSEND_OVERHEAD + 64), large(MPI_BSEND_OVERHEAD + 1024);
    MPI_Buffer_attach(small.data(), static_cast<int>(small.size()));
    MPI_Session_attach_buffer(open.session, middle.data(), static_cast<int>(middle.size()));
    MPI_Comm_attach_buffer_c(copy, large.data(), static_cast<MPI_Count>(large.size()));
    EXPECT_EQ(MPI_Comm_attach_buffer(copy, large.data(), 8), MPI_ERR_BUFFER);
    const auto fits = [&](MPI_Comm comm, int bytes) {
      std::vector<char> data(static_cast<std::size_t>(bytes), 'x');
      const int error = MPI_Bsend(data.data(), bytes, MPI_CHAR, rank, 0, comm);
      if (error == MPI_SUCCESS) {
        MPI_Recv(data.data(), bytes, MPI_CHAR, rank, 0, comm, MPI_STATUS_IGNORE);
      }
      return error == MPI_SUCCESS;
    };
    EXPECT_TRUE(fits(MPI_COMM_WORLD, 8));
    EXPECT_FALSE(fits(MPI_COMM_WORLD, 64 + MPI_BSEND_OVERHEAD));
    EXPECT_TRUE(fits(open.comm, 64));
    EXPECT_FALSE(fits(open.comm, 64 + MPI_BSEND_OVERHEAD));
    EXPECT_TRUE(fits(copy, 1024));
    EXPECT_FALSE(fits(copy, 1024 + MPI_BSEND_OVERHEAD));
    MPI_Migrate();
    EXPECT_TRUE(fits(copy, 1024));
    void* address = nullptr;
    int size = 0;
    MPI_Session_detach_buffer(open.session, &address, &size);
    EXPECT_EQ(address, middle.data());
    EXPECT_EQ(size, static_cast<int>(middle.size()));
    EXPECT_FALSE(fits(open.comm, 64 + MPI_BSEND_OVERHEAD));
    MPI_Count count = 0;
    MPI_Comm_detach_buffer_c(copy, &address, &count);
    EXPECT_EQ(address, large.data());
    EXPECT_EQ(MPI_Comm_detach_buffer(copy, &address, &size), MPI_ERR_BUFFER);
    MPI_Buffer_detach(&address, &size);
    MPI_Comm_free(&copy);
  });
}

TEST_P(SessionTest, FlushesCompleteWhenTheirMessagesAreSent) {
  run(2, [](int rank, int) {
    const OpenSession open;
    std::vector<char> buffer(1 << 20);
    std::vector<char> data(100000, 'y');
    MPI_Comm_attach_buffer(open.comm, buffer.data(), static_cast<int>(buffer.size()));
    if (rank == 0) {
      MPI_Request flush;
      MPI_Bsend(data.data(), 100000, MPI_CHAR, 1, 0, open.comm);
      MPI_Comm_iflush_buffer(open.comm, &flush);
      MPI_Bsend(data.data(), 100000, MPI_CHAR, 1, 2, open.comm);  // received after the flush is done
      MPI_Send(nullptr, 0, MPI_CHAR, 1, 1, open.comm);
      MPI_Migrate();
      MPI_Wait(&flush, MPI_STATUS_IGNORE);
      MPI_Send(nullptr, 0, MPI_CHAR, 1, 1, open.comm);
      MPI_Comm_flush_buffer(open.comm);
    } else {
      MPI_Recv(nullptr, 0, MPI_CHAR, 0, 1, open.comm, MPI_STATUS_IGNORE);
      MPI_Migrate();
      MPI_Recv(data.data(), 100000, MPI_CHAR, 0, 0, open.comm, MPI_STATUS_IGNORE);
      MPI_Recv(nullptr, 0, MPI_CHAR, 0, 1, open.comm, MPI_STATUS_IGNORE);
      MPI_Recv(data.data(), 100000, MPI_CHAR, 0, 2, open.comm, MPI_STATUS_IGNORE);
    }
    MPI_Request none;
    MPI_Buffer_iflush(&none);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    MPI_Session_iflush_buffer(open.session, &none);
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    void* address = nullptr;
    int size = 0;
    MPI_Comm_detach_buffer(open.comm, &address, &size);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
