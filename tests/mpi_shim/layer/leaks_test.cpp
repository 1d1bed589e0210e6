// What --check finds at the end of a rank.
#include "mpi_shim/layer/leaks.hpp"

#include <string>

#include "mpi_shim/state/leak_report.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class Leaks : public MpiTest {
 protected:
  void run_two(const Body& body) {
    runtime::JobConfig config;
    config.check = true;
    run(2, body, config);
  }
  // What the report says of rank 1, which has moved before.
  static void expect_text(int rank, const std::string& text) {
    MPI_Barrier(MPI_COMM_WORLD);
    move_if_packed();
    LeakReport report;
    report.add(rank, leaks_of(rank_state()), nullptr);
    EXPECT_EQ(report.text(), rank == 1 ? text : report.text());
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, Leaks, kSettings, name_of);

TEST_P(Leaks, ObjectsAndTheCallsThatMadeThem) {
  run_two([](int rank, int) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "forgotten");
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(3, MPI_INT, &row);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(comm, &group);
    MPI_Info infos[2] = {};
    MPI_Info_create(&infos[0]);
    MPI_Info_create(&infos[1]);
    expect_text(rank,
                "weft: rank 1: communicator never freed: MPI_Comm_dup, forgotten\n"
                "weft: rank 1: datatype never freed: MPI_Type_contiguous, 12 bytes\n"
                "weft: rank 1: group never freed: MPI_Comm_group\n"
                "weft: rank 1: info object never freed: MPI_Info_create (2 in all)\n");
    MPI_Info_free(&infos[0]);
    MPI_Info_free(&infos[1]);
    MPI_Group_free(&group);
    MPI_Type_free(&row);
    MPI_Comm_free(&comm);
  });
}

TEST_P(Leaks, AMessageThatNobodyReceives) {
  run_two([](int rank, int) {
    int word = 1;
    if (rank == 0) {
      MPI_Send(&word, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
    } else {
      MPI_Probe(0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    expect_text(rank, "weft: rank 1: message on MPI_COMM_WORLD never received, 4 bytes from rank 0, tag 77\n");
    if (rank == 1) {
      MPI_Recv(&word, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  });
}

TEST_P(Leaks, RequestsThatAreNotWaitedFor) {
  run_two([](int rank, int) {
    int words[3] = {};
    MPI_Request requests[3];
    for (int tag = 0; tag < 3; ++tag) {
      rank == 1 ? MPI_Irecv(&words[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &requests[tag])
                : MPI_Isend(&words[tag], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[tag]);
    }
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    expect_text(rank, "weft: rank 1: request never completed: MPI_Irecv, 4 bytes from rank 0, tags 0-1 (2 in all)\n");
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  });
}

TEST_P(Leaks, PersistentRequestsHaveTheirOwnPeerAndTag) {
  run_two([](int rank, int) {
    int word = 0;
    MPI_Request requests[2];
    MPI_Recv_init(&word, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Bcast_init(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    expect_text(rank,
                "weft: rank 1: persistent request never freed: MPI_Recv_init, 4 bytes from rank 0, tag 5\n"
                "weft: rank 1: persistent request never freed: MPI_Bcast_init\n");
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

TEST_P(Leaks, AWindowIsSaidOnce) {
  run_two([](int rank, int) {
    void* base = nullptr;
    MPI_Win win = MPI_WIN_NULL;
    MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    expect_text(rank, "weft: rank 1: window never freed: MPI_Win_allocate\n");
    MPI_Win_free(&win);
  });
}

TEST_P(Leaks, AMatchedMessage) {
  run_two([](int rank, int) {
    MPI_Message message = MPI_MESSAGE_NULL;
    if (rank == 0) {
      MPI_Send(nullptr, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
      MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    }
    expect_text(rank, "weft: rank 1: matched message never received: MPI_Mprobe\n");
    if (rank == 1) {
      MPI_Mrecv(nullptr, 0, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
  });
}

}  // namespace
}  // namespace weft::mpi_shim
