// Persistent collective calls: started repeatedly, in any order, after the rank has moved.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "tests/mpi_shim/coll/forms.hpp"

namespace weft::mpi_shim {
namespace {

class CollPersistent : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollPersistent, kSettings, name_of);

// The inputs change between starts and the rank moves.
TEST_P(CollPersistent, GiveWhatBlockingCallsGive) {
  run_all([](int rank, int size) {
    std::vector<Arguments> arguments;
    std::vector<MPI_Request> requests(kCalls, MPI_REQUEST_NULL);
    MPI_Op own = MPI_OP_NULL;
    MPI_Op_create(decay, 0, &own);
    for (int i = 0; i < kCalls; ++i) {
      arguments.emplace_back(MPI_COMM_WORLD, rank, size, 60, size - 1);
      arguments.back().op = own;
    }
    for (std::size_t i = 0; i < kCalls; ++i) {
      ASSERT_EQ(make_call(static_cast<Call>(i), Form::persistent, arguments[i], &requests[i]), MPI_SUCCESS);
    }
    MPI_Op_free(&own);
    MPI_Op_create(decay, 0, &own);
    for (int round = 0; round < 3; ++round) {
      for (Arguments& each : arguments) {
        for (double& x : each.in) {
          x = x * 0.5 + round;
        }
        each.out.assign(each.out.size(), round);
        each.op = own;
      }
      std::vector<Arguments> given = arguments;
      ASSERT_EQ(MPI_Startall(kCalls, requests.data()), MPI_SUCCESS);
      ASSERT_EQ(MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
      for (std::size_t i = 0; i < kCalls; ++i) {
        make_call(static_cast<Call>(i), Form::blocking, given[i], nullptr);
        ASSERT_EQ(std::memcmp(arguments[i].out.data(), given[i].out.data(), given[i].out.size() * sizeof(double)), 0)
            << "call " << i << " in round " << round;
      }
      MPI_Migrate();
    }
    for (MPI_Request& request : requests) {
      ASSERT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    }
    MPI_Op_free(&own);
  });
}

TEST_P(CollPersistent, StartInAnyOrder) {
  run_all([](int rank, int size) {
    int in[2] = {rank, rank}, out[2] = {-1, -1};
    MPI_Request requests[2];
    MPI_Allreduce_init(&in[0], &out[0], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&in[1], &out[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 20; ++round) {
      const int first = (rank + round) % 2;
      in[0] = in[1] = rank + round;
      MPI_Start(&requests[first]);
      MPI_Start(&requests[1 - first]);
      MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[first], MPI_STATUS_IGNORE);
      ASSERT_EQ(out[0], size * (size - 1) / 2 + round * size);
      ASSERT_EQ(out[1], size - 1 + round);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

// The rank moves: its scratch memory then has other addresses.
TEST_P(CollPersistent, AnOperationGetsAddressesOfElementsWhoseDataAreDisplaced) {
  run_all([](int, int size) {
    MPI_Datatype type = displaced_ints();
    MPI_Op add = MPI_OP_NULL;
    MPI_Op_create(add_displaced, 1, &add);
    int in[kSkippedInts + 4], out[kSkippedInts + 4];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Allreduce_init(in, out, 1, type, add, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Op_free(&add);
    MPI_Type_free(&type);
    for (int round = 0; round < 3; ++round) {
      std::fill(std::begin(in), std::end(in), round + 1);
      std::fill(std::begin(out), std::end(out), -1);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(out[kSkippedInts - 1], -1);
      EXPECT_EQ(out[kSkippedInts], (round + 1) * size);
      EXPECT_EQ(out[kSkippedInts + 3], (round + 1) * size);
      MPI_Migrate();
    }
    MPI_Request_free(&request);
  });
}

TEST_P(CollPersistent, Neighbours) {
  run_all([](int rank, int size) {
    MPI_Comm ring = MPI_COMM_NULL;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    int out[2], in[2];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Neighbor_alltoall_init(out, 1, MPI_INT, in, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; ++round) {
      out[0] = 100 * round + 10 * rank;
      out[1] = out[0] + 1;
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      ASSERT_EQ(in[0], 100 * round + 10 * ((rank + size - 1) % size) + 1);
      ASSERT_EQ(in[1], 100 * round + 10 * ((rank + 1) % size));
      MPI_Migrate();
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&ring);
  });
}

TEST_P(CollPersistent, AnActiveOneCannotBeFreed) {
  run(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    if (rank == 1) {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Start(&request);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(MPI_Start(&request), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_REQUEST);
    if (rank == 0) {
      MPI_Error_class(MPI_Request_free(&request), &error_class);
      EXPECT_EQ(error_class, MPI_ERR_REQUEST);
      MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
