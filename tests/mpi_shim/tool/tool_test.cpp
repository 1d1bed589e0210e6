// MPI_T: settings, counters, categories, and what they say while ranks send and move.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using ToolTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, ToolTest, kSettings, name_of);

struct OpenTool {
  OpenTool() {
    int provided = -1;
    EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_SINGLE);
  }
  ~OpenTool() { EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS); }
};

MPI_T_cvar_handle control(const char* name, int* count) {
  int index = -1;
  EXPECT_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS) << name;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  EXPECT_EQ(MPI_T_cvar_handle_alloc(index, nullptr, &handle, count), MPI_SUCCESS);
  return handle;
}

class Watched {
 public:
  Watched(MPI_T_pvar_session session, const char* name, int of_class) : session_(session) {
    int index = -1, count = 0;
    EXPECT_EQ(MPI_T_pvar_get_index(name, of_class, &index), MPI_SUCCESS) << name;
    EXPECT_EQ(MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 1);
  }
  unsigned long read() const {
    unsigned long value = 0;
    EXPECT_EQ(MPI_T_pvar_read(session_, handle, &value), MPI_SUCCESS);
    return value;
  }
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;

 private:
  MPI_T_pvar_session session_;
};

TEST_P(ToolTest, IsThereBeforeInitAndAfterFinalize) {
  const int code = run_bare(2, [](int, int) {
    int number = 0;
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    EXPECT_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    {
      const OpenTool outer;
      const OpenTool inner;
      MPI_Init(nullptr, nullptr);
      EXPECT_EQ(MPI_T_pvar_get_num(&number), MPI_SUCCESS);
      EXPECT_GT(number, 0);
      MPI_Finalize();
      EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
  });
  EXPECT_EQ(code, 0);
}

TEST_P(ToolTest, SettingsCanBeReadAndSomeWritten) {
  run(3, [](int, int size) {
    const OpenTool tool;
    int count = 0, value = 0;
    MPI_T_cvar_handle ranks = control("WEFT_RANKS", &count);
    EXPECT_EQ(count, 1);
    MPI_T_cvar_read(ranks, &value);
    EXPECT_EQ(value, size);
    EXPECT_EQ(MPI_T_cvar_write(ranks, &value), MPI_T_ERR_CVAR_SET_NEVER);
    MPI_T_cvar_handle lb = control("WEFT_LB", &count);
    std::string text(static_cast<std::size_t>(count), '\0');
    MPI_T_cvar_read(lb, text.data());
    EXPECT_STREQ(text.c_str(), GetParam().lb.c_str());
    EXPECT_EQ(text.size(), GetParam().lb.size() + 1);
    MPI_T_cvar_handle migratable = control("weft_migratable", &count);
    MPI_T_cvar_read(migratable, &value);
    EXPECT_EQ(value, 1);
    value = 0;
    EXPECT_EQ(MPI_T_cvar_write(migratable, &value), MPI_SUCCESS);
    EXPECT_FALSE(rank_state().rank->migratable);
    MPI_Migrate();
    value = 7;
    MPI_T_cvar_read(migratable, &value);
    EXPECT_EQ(value, 0);
    value = 1;
    MPI_T_cvar_write(migratable, &value);
    EXPECT_TRUE(rank_state().rank->migratable);
    for (MPI_T_cvar_handle handle : {ranks, lb, migratable}) {
      EXPECT_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
      EXPECT_EQ(handle, MPI_T_CVAR_HANDLE_NULL);
    }
    EXPECT_EQ(MPI_T_cvar_read(ranks, &value), MPI_T_ERR_INVALID_HANDLE);
    int index = 0;
    EXPECT_EQ(MPI_T_cvar_get_index("nobody", &index), MPI_T_ERR_INVALID_NAME);
  });
}

TEST_P(ToolTest, CountersCountWhileTheyAreStartedThroughMoves) {
  run(2, [](int rank, int) {
    const OpenTool tool;
    MPI_T_pvar_session session;
    MPI_T_pvar_session_create(&session);
    const Watched messages(session, "weft_messages_sent", MPI_T_PVAR_CLASS_COUNTER);
    const Watched bytes(session, "weft_bytes_sent", MPI_T_PVAR_CLASS_AGGREGATE);
    const Watched moves(session, "weft_moves", MPI_T_PVAR_CLASS_COUNTER);
    const int peer = 1 - rank;
    std::vector<char> data(100), in(100);
    const auto swap = [&] {
      MPI_Sendrecv(data.data(), 100, MPI_CHAR, peer, 0, in.data(), 100, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    };
    swap();
    EXPECT_EQ(bytes.read(), 0U);
    EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    swap();
    EXPECT_EQ(messages.read(), 1U);
    EXPECT_EQ(bytes.read(), 100U);
    MPI_Migrate();
    swap();
    EXPECT_EQ(messages.read(), 2U);
    MPI_T_pvar_stop(session, bytes.handle);
    swap();
    EXPECT_EQ(bytes.read(), 200U);
    unsigned long value = 5;
    EXPECT_EQ(MPI_T_pvar_readreset(session, messages.handle, &value), MPI_SUCCESS);
    EXPECT_EQ(value, 3U);
    swap();
    EXPECT_EQ(messages.read(), 1U);
    value = 10;
    EXPECT_EQ(MPI_T_pvar_write(session, messages.handle, &value), MPI_SUCCESS);
    swap();
    EXPECT_EQ(messages.read(), 11U);
    EXPECT_EQ(MPI_T_pvar_reset(session, bytes.handle), MPI_SUCCESS);
    EXPECT_EQ(bytes.read(), 0U);
    if (GetParam().lb == "rotate" && GetParam().workers > 1) {
      EXPECT_GE(moves.read(), 1U);
    }
    EXPECT_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_read(session, messages.handle, &value), MPI_T_ERR_INVALID_SESSION);
  });
}

TEST_P(ToolTest, QueuesHaveLengths) {
  run(2, [](int rank, int) {
    const OpenTool tool;
    MPI_T_pvar_session session;
    MPI_T_pvar_session_create(&session);
    const Watched posted(session, "weft_posted_receives", MPI_T_PVAR_CLASS_LEVEL);
    const Watched unexpected(session, "weft_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
    if (rank == 0) {
      int values[3];
      MPI_Request requests[3];
      for (int i = 0; i < 3; ++i) {
        MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
      }
      EXPECT_EQ(posted.read(), 3U);
      MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(posted.read(), 0U);
      MPI_Probe(1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(unexpected.read(), 1U);
      MPI_Recv(values, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(unexpected.read(), 0U);
      MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (const int tag : {0, 1, 2, 9}) {
        MPI_Send(&tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
      }
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // else what follows would be counted
    }
    EXPECT_EQ(MPI_T_pvar_start(session, posted.handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    EXPECT_EQ(MPI_T_pvar_reset(session, posted.handle), MPI_T_ERR_PVAR_NO_WRITE);
    unsigned long value = 0;
    EXPECT_EQ(MPI_T_pvar_readreset(session, posted.handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    EXPECT_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    MPI_T_pvar_session_free(&session);
  });
}

// Every variable can be found by its name, and is in just one category.
TEST_P(ToolTest, CategoriesHoldAllVariables) {
  run(1, [](int, int) {
    const OpenTool tool;
    int categories = 0, controls = 0, counters = 0;
    MPI_T_category_get_num(&categories);
    MPI_T_cvar_get_num(&controls);
    MPI_T_pvar_get_num(&counters);
    std::vector<int> controls_seen, counters_seen;
    for (int c = 0; c < categories; ++c) {
      char name[64];
      int length = sizeof name;
      int of_controls = 0, of_counters = 0, of_categories = 0, index = -1;
      MPI_T_category_get_info(c, name, &length, nullptr, nullptr, &of_controls, &of_counters, &of_categories);
      EXPECT_EQ(static_cast<std::size_t>(length), std::strlen(name) + 1);
      MPI_T_category_get_index(name, &index);
      EXPECT_EQ(index, c);
      std::vector<int> indices(static_cast<std::size_t>(of_controls));
      MPI_T_category_get_cvars(c, of_controls, indices.data());
      controls_seen.insert(controls_seen.end(), indices.begin(), indices.end());
      indices.resize(static_cast<std::size_t>(of_counters));
      MPI_T_category_get_pvars(c, of_counters, indices.data());
      counters_seen.insert(counters_seen.end(), indices.begin(), indices.end());
      EXPECT_EQ(of_categories, c == 0 ? categories - 1 : 0);
    }
    std::ranges::sort(controls_seen);
    std::ranges::sort(counters_seen);
    EXPECT_EQ(controls_seen.size(), static_cast<std::size_t>(controls));
    EXPECT_EQ(counters_seen.size(), static_cast<std::size_t>(counters));
    for (int i = 0; i < controls; ++i) {
      EXPECT_EQ(controls_seen[static_cast<std::size_t>(i)], i);
      char name[4];
      int length = sizeof name;
      MPI_T_cvar_get_info(i, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      EXPECT_EQ(std::strlen(name), 3U) << "cut";
    }
  });
}

TEST_P(ToolTest, NamesItsEnumerationAndHasNoEvents) {
  run(1, [](int, int) {
    const OpenTool tool;
    int index = 0, items = 0, value = -1;
    MPI_T_cvar_get_index("WEFT_CHECK", &index);
    MPI_T_enum answers = MPI_T_ENUM_NULL;
    MPI_T_cvar_get_info(index, nullptr, nullptr, nullptr, nullptr, &answers, nullptr, nullptr, nullptr, nullptr);
    ASSERT_EQ(MPI_T_enum_get_info(answers, &items, nullptr, nullptr), MPI_SUCCESS);
    ASSERT_EQ(items, 2);
    char name[8];
    int length = sizeof name;
    MPI_T_enum_get_item(answers, 1, &value, name, &length);
    EXPECT_STREQ(name, "yes");
    EXPECT_EQ(value, 1);
    EXPECT_EQ(MPI_T_enum_get_item(answers, 2, &value, name, &length), MPI_T_ERR_INVALID_ITEM);
    EXPECT_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &items, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
    int events = -1;
    EXPECT_EQ(MPI_T_event_get_num(&events), MPI_SUCCESS);
    EXPECT_EQ(events, 0);
    EXPECT_EQ(MPI_T_event_get_index("nobody", &index), MPI_T_ERR_INVALID_NAME);
    MPI_T_event_registration none{};
    EXPECT_EQ(MPI_T_event_handle_alloc(0, nullptr, MPI_INFO_NULL, &none), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_source_get_num(&events), MPI_SUCCESS);
    EXPECT_EQ(events, 0);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
