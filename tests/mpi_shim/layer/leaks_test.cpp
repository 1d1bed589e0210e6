// What --check finds at the end of a rank.
#include "mpi_shim/layer/leaks.hpp"

#include <string>

#include "mpi_shim/state/leak_report.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class Leaks : public MpiTest {
 protected:
  // What the report says of rank 1 of two that have run `body` and moved after that. `end` runs then.
  void expect_text(
      const Body& body, const std::string& text, const Body& end = [](int, int) {}) {
    runtime::JobConfig config;
    config.check = true;
    run_bare(
        2,
        [&](int rank, int size) {
          MPI_Init(nullptr, nullptr);
          body(rank, size);
          MPI_Barrier(MPI_COMM_WORLD);
          move_if_packed();
          LeakReport report;
          report.add(rank, leaks_of(rank_state()), nullptr);
          EXPECT_EQ(report.text(), rank == 1 ? text : report.text());
          end(rank, size);
          MPI_Finalize();
        },
        config);
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, Leaks, kSettings, name_of);

TEST_P(Leaks, ObjectsAndTheCallsThatMadeThem) {
  expect_text(
      [](int, int) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_name(comm, "forgotten");
        MPI_Datatype row = MPI_DATATYPE_NULL;
        MPI_Type_contiguous(3, MPI_INT, &row);
        MPI_Group group = MPI_GROUP_NULL;
        MPI_Comm_group(comm, &group);
        for (int i = 0; i < 2; ++i) {
          MPI_Info info = MPI_INFO_NULL;
          MPI_Info_create(&info);
        }
      },
      "weft: rank 1: communicator never freed: MPI_Comm_dup, forgotten\n"
      "weft: rank 1: datatype never freed: MPI_Type_contiguous, 12 bytes\n"
      "weft: rank 1: group never freed: MPI_Comm_group\n"
      "weft: rank 1: info object never freed: MPI_Info_create (2 in all)\n");
}

TEST_P(Leaks, AMessageThatNobodyReceives) {
  expect_text(
      [](int rank, int) {
        if (rank == 0) {
          const int word = 1;
          MPI_Send(&word, 1, MPI_INT, 1, 77, MPI_COMM_WORLD);
        } else {
          MPI_Probe(0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      },
      "weft: rank 1: message on MPI_COMM_WORLD never received, 4 bytes from rank 0, tag 77\n",
      [](int rank, int) {
        if (rank == 1) {
          int word = 0;
          MPI_Recv(&word, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
      });
}

TEST_P(Leaks, ARequestThatIsOverwritten) {
  expect_text(
      [](int rank, int) {
        int words[3] = {};
        MPI_Request request = MPI_REQUEST_NULL;
        for (int tag = 0; tag < 3; ++tag) {
          rank == 1 ? MPI_Irecv(&words[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &request)
                    : MPI_Isend(&words[tag], 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
      },
      "weft: rank 1: request never completed: MPI_Irecv, 4 bytes from rank 0, tags 0-1 (2 in all)\n");
}

TEST_P(Leaks, PersistentRequestsHaveTheirOwnPeerAndTag) {
  expect_text(
      [](int rank, int) {
        static thread_local int word = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Recv_init(&word, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, &request);
        MPI_Bcast_init(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      },
      "weft: rank 1: persistent request never freed: MPI_Recv_init, 4 bytes from rank 0, tag 5\n"
      "weft: rank 1: persistent request never freed: MPI_Bcast_init\n");
}

TEST_P(Leaks, AWindowIsSaidOnce) {
  expect_text(
      [](int, int) {
        void* base = nullptr;
        MPI_Win win = MPI_WIN_NULL;
        MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
      },
      "weft: rank 1: window never freed: MPI_Win_allocate\n");
}

TEST_P(Leaks, AMatchedMessage) {
  expect_text(
      [](int rank, int) {
        if (rank == 0) {
          MPI_Send(nullptr, 0, MPI_INT, 1, 3, MPI_COMM_WORLD);
        } else {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        }
      },
      "weft: rank 1: matched message never received: MPI_Mprobe\n");
}

}  // namespace
}  // namespace weft::mpi_shim
