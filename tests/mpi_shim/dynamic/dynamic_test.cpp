// Ports, published names and sockets between ranks of one job.
#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi_shim/state/state.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using DynamicTest = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, DynamicTest, kSettings, name_of);

// The remote members' ranks in the job, summed.
int sum_of_others(MPI_Comm inter) {
  int rank = 0, sum = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  return sum;
}

TEST_P(DynamicTest, GroupsConnectThroughAPort) {
  run(5, [](int rank, int) {
    const bool serves = rank < 2;
    MPI_Comm side, inter;
    MPI_Comm_split(MPI_COMM_WORLD, serves ? 0 : 1, 0, &side);
    for (int time = 0; time < 2; ++time) {
      char port[MPI_MAX_PORT_NAME] = "";
      if (rank == 1) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 4, 0, MPI_COMM_WORLD);
      } else if (rank == 4) {
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      // The port name is significant only at the root, the last rank of each side.
      ASSERT_EQ(serves ? MPI_Comm_accept(port, MPI_INFO_NULL, 1, side, &inter)
                       : MPI_Comm_connect(port, MPI_INFO_NULL, 2, side, &inter),
                MPI_SUCCESS);
      MPI_Migrate();
      EXPECT_EQ(sum_of_others(inter), serves ? 2 + 3 + 4 : 0 + 1);
      MPI_Comm_disconnect(&inter);
      EXPECT_EQ(inter, MPI_COMM_NULL);
      if (rank == 1) {
        EXPECT_EQ(MPI_Close_port(port), MPI_SUCCESS);
      }
    }
    MPI_Comm_free(&side);
  });
}

// One server with two ports, whose clients come in any order.
TEST_P(DynamicTest, RequestsWaitAtTheirPorts) {
  run(4, [](int rank, int size) {
    char ports[2][MPI_MAX_PORT_NAME];
    if (rank == 0) {
      MPI_Open_port(MPI_INFO_NULL, ports[0]);
      MPI_Open_port(MPI_INFO_NULL, ports[1]);
      EXPECT_STRNE(ports[0], ports[1]);
    }
    MPI_Bcast(ports, sizeof ports, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm inter;
    if (rank == 0) {
      int seen = 0;
      for (int client = 0; client < size - 1; ++client) {
        MPI_Comm_accept(ports[client == 2 ? 0 : 1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
        const int other = sum_of_others(inter);
        EXPECT_EQ(other == 1, client == 2);
        seen += other;
        MPI_Comm_disconnect(&inter);
      }
      EXPECT_EQ(seen, 1 + 2 + 3);
    } else {
      MPI_Comm_connect(ports[rank == 1 ? 0 : 1], MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
      EXPECT_EQ(sum_of_others(inter), 0);
      MPI_Comm_disconnect(&inter);
    }
  });
}

TEST_P(DynamicTest, AllMembersGetTheErrorOfAWrongPort) {
  run(3, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm inter;
    EXPECT_EQ(MPI_Comm_connect("elsewhere", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT);
    char port[MPI_MAX_PORT_NAME] = "";
    if (rank == 1) {
      MPI_Open_port(MPI_INFO_NULL, port);
    }
    EXPECT_EQ(MPI_Comm_connect(port, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &inter), MPI_ERR_PORT) << "to itself";
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter), MPI_ERR_PORT) << "another's";
    EXPECT_EQ(MPI_Comm_accept(port, MPI_INFO_NULL, 3, MPI_COMM_WORLD, &inter), MPI_ERR_ROOT);
    EXPECT_EQ(MPI_Close_port("weft:port:0:77"), MPI_ERR_PORT);
  });
}

// The first and the last rank call, which may be in different processes.
TEST_P(DynamicTest, PublishedNamesAreKnownToAll) {
  run(3, [](int rank, int size) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char port[MPI_MAX_PORT_NAME] = "";
    EXPECT_EQ(MPI_Lookup_name("first", MPI_INFO_NULL, port), MPI_ERR_NAME);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || rank == size - 1) {
      const char* const service = rank == 0 ? "first" : "last";
      EXPECT_EQ(MPI_Publish_name(service, MPI_INFO_NULL, rank == 0 ? "port of 0" : "port of the last"), MPI_SUCCESS);
      EXPECT_EQ(MPI_Publish_name(service, MPI_INFO_NULL, "another"), MPI_ERR_SERVICE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Migrate();
    EXPECT_EQ(MPI_Lookup_name("first", MPI_INFO_NULL, port), MPI_SUCCESS);
    EXPECT_STREQ(port, "port of 0");
    EXPECT_EQ(MPI_Lookup_name("last", MPI_INFO_NULL, port), MPI_SUCCESS);
    EXPECT_STREQ(port, "port of the last");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      EXPECT_EQ(MPI_Unpublish_name("first", MPI_INFO_NULL, "another"), MPI_ERR_SERVICE);
      EXPECT_EQ(MPI_Unpublish_name("first", MPI_INFO_NULL, "port of 0"), MPI_SUCCESS);
      EXPECT_EQ(MPI_Unpublish_name("last", MPI_INFO_NULL, "port of the last"), MPI_SUCCESS);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Lookup_name("last", MPI_INFO_NULL, port), MPI_ERR_NAME);
    const std::string endless(MPI_MAX_PORT_NAME, 'n');
    EXPECT_EQ(MPI_Publish_name(endless.c_str(), MPI_INFO_NULL, "port"), MPI_ERR_SERVICE);
  });
}

TEST_P(DynamicTest, RanksWithASocketJoin) {
  run(2, [](int rank, int) {
    static int sockets[2];
    if (rank == 0) {
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm inter;
    ASSERT_EQ(MPI_Comm_join(sockets[rank], &inter), MPI_SUCCESS);
    EXPECT_EQ(sum_of_others(inter), 1 - rank);
    MPI_Comm_disconnect(&inter);
    close(sockets[rank]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_join(-1, &inter), MPI_ERR_INTERN);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
