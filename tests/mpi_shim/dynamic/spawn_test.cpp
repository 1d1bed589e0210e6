// MPI_Comm_spawn: parents and children run functions of the test.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/control/rank_table.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

// The name of a spawned rank's program.
std::string program_name() {
  const runtime::World& world = *runtime::current_rank()->world;
  return world.applications[world.application_of(runtime::current_rank()->rank_in_world)].program;
}

class SpawnTest : public MpiTest {
 protected:
  using Body = std::function<void()>;

  // `parents` runs as the job's ranks, `child` as whatever they spawn.
  void spawn(int ranks, int spare, const Body& parents, const Body& child) {
    runtime::JobConfig config;
    config.max_spawned = static_cast<std::uint32_t>(spare);
    const int code = run_bare(
        ranks,
        [&](int, int) {
          MPI_Init(nullptr, nullptr);
          (runtime::current_rank()->world == nullptr ? parents : child)();
          MPI_Finalize();
          for (const Leak& leak : leaks_of(rank_state())) {
            ADD_FAILURE() << leak.what << " " << leak.name;
          }
        },
        config);
    EXPECT_EQ(code, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Settings, SpawnTest, kSettings, name_of);

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

int remote_size(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_remote_size(comm, &size);
  return size;
}

int attribute(int keyval) {
  int* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, static_cast<void*>(&value), &found);
  return found == 0 ? -1 : *value;
}

MPI_Comm parent() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_get_parent(&comm);
  return comm;
}

// The sum of the remote members' values.
int sum_of_others(MPI_Comm inter, int mine) {
  int sum = -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  return sum;
}

MPI_Comm spawn_some(int most, MPI_Comm comm = MPI_COMM_WORLD, int root = 0) {
  MPI_Comm inter = MPI_COMM_NULL;
  std::vector<int> codes(static_cast<std::size_t>(most), -1);
  EXPECT_EQ(MPI_Comm_spawn("child", MPI_ARGV_NULL, most, MPI_INFO_NULL, root, comm, &inter, codes.data()), MPI_SUCCESS);
  EXPECT_EQ(std::ranges::count(codes, MPI_SUCCESS), most);
  return inter;
}

TEST_P(SpawnTest, ChildrenHaveAWorldOfTheirOwn) {
  spawn(
      3, 5,
      [] {
        EXPECT_EQ(parent(), MPI_COMM_NULL);
        EXPECT_EQ(attribute(MPI_UNIVERSE_SIZE), 8);
        MPI_Comm inter = spawn_some(4, MPI_COMM_WORLD, 2);
        EXPECT_EQ(size_of(inter), 3);
        EXPECT_EQ(remote_size(inter), 4);
        EXPECT_EQ(sum_of_others(inter, 10), 4 * 1);
        MPI_Comm_disconnect(&inter);
      },
      [] {
        EXPECT_EQ(size_of(MPI_COMM_WORLD), 4);
        EXPECT_EQ(remote_size(parent()), 3);
        EXPECT_EQ(attribute(MPI_APPNUM), 0);
        const int me = rank_in(MPI_COMM_WORLD);
        int sum = 0;
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_EQ(sum, 6);
        MPI_Comm inter = parent();
        char name[MPI_MAX_OBJECT_NAME];
        int length = 0;
        MPI_Comm_get_name(inter, name, &length);
        EXPECT_STREQ(name, "MPI_COMM_PARENT");
        EXPECT_EQ(sum_of_others(inter, 1), 3 * 10);
        MPI_Comm_disconnect(&inter);
        EXPECT_EQ(parent(), MPI_COMM_NULL);
      });
}

TEST_P(SpawnTest, MessagesAndWindowsAndMergedGroups) {
  const Body both = [] {
    const bool is_child = parent() != MPI_COMM_NULL;
    MPI_Comm inter = is_child ? parent() : spawn_some(3);
    const int me = rank_in(inter), others = remote_size(inter);
    for (int peer = 0; peer < others; ++peer) {
      int out = 100 * me + peer, in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, peer, 7, &in, 1, MPI_INT, peer, 7, inter, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, 100 * peer + me);
    }
    MPI_Comm whole = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, is_child ? 1 : 0, &whole);
    EXPECT_EQ(rank_in(whole), is_child ? 2 + me : me);
    int* memory = nullptr;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, whole, static_cast<void*>(&memory), &win);
    *memory = 0;
    MPI_Win_fence(0, win);
    const int one = 1;
    MPI_Accumulate(&one, 1, MPI_INT, (rank_in(whole) + 1) % 5, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    EXPECT_EQ(*memory, 1);
    MPI_Win_free(&win);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&inter);
  };
  spawn(2, 3, both, both);
}

// Two of the four first ranks and two children: as many as MPI_COMM_WORLD has, but two of its ranks would not come to a
// balancing step.
TEST_P(SpawnTest, NoStepWhereChildrenStandInForFirstRanks) {
  enabled_migration_points = static_cast<std::uint32_t>(MigrationPoint::barrier);
  const auto meet = [](MPI_Comm inter, bool high) {
    MPI_Comm whole = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, high ? 1 : 0, &whole);
    EXPECT_EQ(size_of(whole), 4);
    MPI_Barrier(whole);
    MPI_Comm_free(&whole);
    MPI_Comm_free(&inter);
  };
  spawn(
      4, 2,
      [&] {
        const int me = rank_in(MPI_COMM_WORLD);
        MPI_Comm half = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, me / 2, 0, &half);
        if (me < 2) {
          meet(spawn_some(2, half), false);
          MPI_Send(nullptr, 0, MPI_INT, me + 2, 0, MPI_COMM_WORLD);
        } else {
          MPI_Recv(nullptr, 0, MPI_INT, me - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&half);
      },
      [&] { meet(parent(), true); });
  enabled_migration_points = 0;
}

TEST_P(SpawnTest, SeveralProgramsShareAWorld) {
  spawn(
      2, 5,
      [] {
        char first[] = "first", second[] = "second";
        char* commands[] = {first, second};
        const int most[] = {2, 3};
        const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        std::vector<int> codes(5, -1);
        MPI_Comm inter = MPI_COMM_NULL;
        ASSERT_EQ(
            MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 1, MPI_COMM_WORLD, &inter, codes.data()),
            MPI_SUCCESS);
        EXPECT_EQ(codes, std::vector<int>(5, MPI_SUCCESS));
        EXPECT_EQ(remote_size(inter), 5);
        MPI_Comm_free(&inter);
      },
      [] {
        EXPECT_EQ(size_of(MPI_COMM_WORLD), 5);
        const bool is_second = rank_in(MPI_COMM_WORLD) >= 2;
        EXPECT_EQ(program_name(), is_second ? "second" : "first");
        EXPECT_EQ(attribute(MPI_APPNUM), is_second ? 1 : 0);
        MPI_Barrier(MPI_COMM_WORLD);
      });
}

// Three generations; the last sends its sum back through a port that the first opened.
TEST_P(SpawnTest, ChildrenSpawnAndConnect) {
  spawn(
      1, 3,
      [] {
        MPI_Comm inter = spawn_some(1), client;
        char port[MPI_MAX_PORT_NAME];
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, inter);
        ASSERT_EQ(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &client), MPI_SUCCESS);
        EXPECT_EQ(remote_size(client), 2);
        EXPECT_EQ(sum_of_others(client, 0), 5 + 5);
        MPI_Comm_disconnect(&client);
        MPI_Close_port(port);
        MPI_Comm_disconnect(&inter);
      },
      [] {
        MPI_Comm from = parent();
        char port[MPI_MAX_PORT_NAME];
        if (size_of(MPI_COMM_WORLD) == 1) {
          MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, from, MPI_STATUS_IGNORE);
          MPI_Comm inter = spawn_some(2, MPI_COMM_SELF);
          MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, MPI_ROOT, inter);
          MPI_Comm_disconnect(&inter);
        } else {
          MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, from);
          MPI_Comm server;
          ASSERT_EQ(MPI_Comm_connect(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &server), MPI_SUCCESS);
          EXPECT_EQ(sum_of_others(server, 5), 0);
          MPI_Comm_disconnect(&server);
        }
        MPI_Comm_disconnect(&from);
      });
}

// The numbers of ended ranks are reused for new ranks.
TEST_P(SpawnTest, OneWorldAfterTheOther) {
  spawn(
      2, 3,
      [] {
        for (int time = 0; time < 12; ++time) {
          MPI_Comm inter = MPI_COMM_NULL;
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
          while (MPI_Comm_spawn("child", MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                                MPI_ERRCODES_IGNORE) != MPI_SUCCESS) {
            MPI_Barrier(MPI_COMM_WORLD);  // the last ones are about to end
          }
          EXPECT_EQ(sum_of_others(inter, time), 3 * 7);
          MPI_Comm_disconnect(&inter);
        }
      },
      [] {
        MPI_Comm from = parent();
        EXPECT_EQ(sum_of_others(from, 7) % 2, 0);
        MPI_Comm_disconnect(&from);
      });
}

// The sender still has a request that refers to the message. It waits, as it would for any rank that has ended.
TEST_P(SpawnTest, ARankThatHasNotReceivedWhatASenderWaitsForKeepsItsNumber) {
  if (GetParam().processes > 1) {
    GTEST_SKIP() << "there the fixture wants no send to be pending at the end";
  }
  const std::vector<char> much(1 << 20);
  runtime::JobConfig config;
  config.max_spawned = 1;
  const auto send_to_child = [&] {
    MPI_Comm inter = spawn_some(1), second = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(much.data(), static_cast<int>(much.size()), MPI_CHAR, 0, 0, inter, &request);
    MPI_Send(nullptr, 0, MPI_CHAR, 0, 1, inter);
    runtime::Rank& me = *runtime::current_rank();
    while (me.job_context.ranks.live_spawned != 0) {
      runtime::yield(me);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(class_of(MPI_Comm_spawn("child", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &second,
                                      MPI_ERRCODES_IGNORE)),
              MPI_ERR_SPAWN);
  };
  const int code = run_bare(
      1,
      [&](int, int) {
        MPI_Init(nullptr, nullptr);
        if (runtime::current_rank()->world == nullptr) {
          send_to_child();
        } else {
          MPI_Recv(nullptr, 0, MPI_CHAR, 0, 1, parent(), MPI_STATUS_IGNORE);
        }
        MPI_Finalize();
      },
      config);
  EXPECT_EQ(code, 0);
}

TEST_P(SpawnTest, WhatCannotBeIsRefusedEverywhere) {
  spawn(
      2, 2,
      [] {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm inter = MPI_COMM_WORLD;
        int codes[5] = {};
        const auto spawned = [&](const char* name, int most, MPI_Info info, int root) {
          int error = MPI_Comm_spawn(name, MPI_ARGV_NULL, most, info, root, MPI_COMM_WORLD, &inter, codes);
          MPI_Error_class(error, &error);
          return error;
        };
        EXPECT_EQ(spawned("child", 3, MPI_INFO_NULL, 1), MPI_ERR_SPAWN);
        EXPECT_EQ(inter, MPI_COMM_NULL);
        EXPECT_EQ(std::count(codes, codes + 3, MPI_ERR_SPAWN), 3);
        EXPECT_EQ(spawned("", 1, MPI_INFO_NULL, 0), MPI_ERR_ARG);
        EXPECT_EQ(spawned("child", -1, MPI_INFO_NULL, 0), MPI_ERR_ARG);
        EXPECT_EQ(spawned("child", 1, MPI_INFO_NULL, 2), MPI_ERR_ROOT);
        MPI_Info info;
        MPI_Info_create(&info);
        MPI_Info_set(info, "soft", "a:b");
        EXPECT_EQ(spawned("child", 1, info, 0), MPI_ERR_INFO_VALUE);
        // Of 1, 3 and 5 there is room for one.
        MPI_Info_set(info, "soft", "1:5:2");
        EXPECT_EQ(spawned("child", 5, info, 0), MPI_SUCCESS);
        EXPECT_EQ(remote_size(inter), 1);
        EXPECT_EQ(codes[0], MPI_SUCCESS);
        EXPECT_EQ(std::count(codes, codes + 5, MPI_ERR_SPAWN), 4);
        MPI_Info_free(&info);
        MPI_Comm_free(&inter);
      },
      [] {});
}

// One rank spawns alone while the others wait in a balancing step, which then moves nothing. In children the call does
// nothing.
TEST_P(SpawnTest, StepsGoOnWhileOtherWorldsLive) {
  spawn(
      4, 2,
      [] {
        MPI_Migrate();
        MPI_Comm inter = rank_in(MPI_COMM_WORLD) == 3 ? spawn_some(2, MPI_COMM_SELF) : MPI_COMM_NULL;
        for (int time = 0; time < 3; ++time) {
          MPI_Migrate();
          MPI_Barrier(MPI_COMM_WORLD);
        }
        if (inter != MPI_COMM_NULL) {
          EXPECT_EQ(sum_of_others(inter, 4), 2);
          MPI_Comm_free(&inter);
        }
      },
      [] {
        MPI_Migrate();
        MPI_Comm from = parent();
        EXPECT_EQ(sum_of_others(from, 1), 4);
        MPI_Comm_free(&from);
      });
}

}  // namespace
}  // namespace weft::mpi_shim
