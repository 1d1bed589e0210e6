// Wrong arguments that a call must not believe: each is an error of the class that the standard gives it.
#include <climits>
#include <cstdint>
#include <vector>

#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

using ArgumentErrors = MpiTest;
INSTANTIATE_TEST_SUITE_P(Settings, ArgumentErrors, kSettings, name_of);

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

TEST_P(ArgumentErrors, InPlaceAndNullAreNoAddressesOfWhatIsPackedOrReduced) {
  run(2, [](int, int) {
    return_errors();
    int value = 0;
    int position = 0;
    char room[64] = {};
    EXPECT_EQ(MPI_Pack(MPI_IN_PLACE, 1, MPI_INT, room, sizeof room, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Pack(&value, 1, MPI_INT, nullptr, sizeof room, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Pack(&value, 1, MPI_INT, MPI_IN_PLACE, sizeof room, &position, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Unpack(nullptr, sizeof room, &position, &value, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    MPI_Aint place = 0;
    EXPECT_EQ(MPI_Pack_external("external32", &value, 1, MPI_INT, MPI_IN_PLACE, 8, &place), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Unpack_external("external32", nullptr, 8, &place, &value, 1, MPI_INT), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(nullptr, &value, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(&value, nullptr, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  });
}

TEST_P(ArgumentErrors, InPlaceIsNoAddressOfTheOtherSideOfACollective) {
  run(2, [](int rank, int size) {
    return_errors();
    const auto members = static_cast<std::size_t>(size);
    std::vector<int> mine(members);
    const std::vector<int> ones(members, 1);
    const std::vector<int> zeros(members);
    const std::vector<MPI_Datatype> types(members, MPI_INT);
    const MPI_Comm comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgather(mine.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoall(mine.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallw(mine.data(), ones.data(), zeros.data(), types.data(), MPI_IN_PLACE, ones.data(),
                            zeros.data(), types.data(), comm),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(mine.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, nullptr, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_scatter(mine.data(), MPI_IN_PLACE, ones.data(), MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_scatter_block(mine.data(), MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_BUFFER);
    if (rank == 0) {  // the others do not look at it, so only a root that stays away may ask
      EXPECT_EQ(MPI_Gather(mine.data(), 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, mine.data(), 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    }
  });
}

TEST_P(ArgumentErrors, BlocksThatHoldSomethingNeedAnAddress) {
  run(2, [](int, int size) {
    return_errors();
    const auto members = static_cast<std::size_t>(size);
    std::vector<int> mine(members);
    const std::vector<int> ones(members, 1);
    const std::vector<int> zeros(members);
    const std::vector<MPI_Datatype> types(members, MPI_INT);
    const MPI_Comm comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Allgatherv(mine.data(), 1, MPI_INT, nullptr, ones.data(), zeros.data(), MPI_INT, comm),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(nullptr, ones.data(), zeros.data(), MPI_INT, mine.data(), ones.data(), zeros.data(),
                            MPI_INT, comm),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallw(mine.data(), ones.data(), zeros.data(), types.data(), nullptr, ones.data(), zeros.data(),
                            types.data(), comm),
              MPI_ERR_BUFFER);
    const int one = 1;
    const int zero = 0;
    EXPECT_EQ(MPI_Gatherv(mine.data(), 1, MPI_INT, nullptr, &one, &zero, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
    EXPECT_EQ(
        MPI_Alltoallv(nullptr, zeros.data(), zeros.data(), MPI_INT, nullptr, zeros.data(), zeros.data(), MPI_INT, comm),
        MPI_SUCCESS);
  });
}

TEST_P(ArgumentErrors, ABufferIsNullByItsBaseItsDisplacementAndItsType) {
  run(2, [](int rank, int size) {
    return_errors();
    const auto members = static_cast<std::size_t>(size);
    std::vector<int> mine(members);
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&nothing);
    const MPI_Comm comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Send(nullptr, 1, pair, 1 - rank, 0, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Sendrecv(nullptr, 1, nothing, 1 - rank, 0, nullptr, 1, nothing, 1 - rank, 0, comm, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Bcast(nullptr, 1, pair, 0, comm), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Allgather(mine.data(), 1, MPI_INT, nullptr, 1, pair, comm), MPI_ERR_BUFFER);
    const std::vector<int> ones(members, 1);
    const std::vector<int> first_bytes(members, 8);
    const std::vector<MPI_Datatype> types(members, MPI_INT);
    EXPECT_EQ(MPI_Alltoallw(nullptr, ones.data(), first_bytes.data(), types.data(), mine.data(), ones.data(),
                            first_bytes.data(), types.data(), comm),
              MPI_ERR_BUFFER);
    MPI_Type_free(&pair);
    MPI_Type_free(&nothing);
  });
}

TEST_P(ArgumentErrors, OneAddressMayStandForBothSidesThatLieApart) {
  run(2, [](int rank, int size) {
    return_errors();
    const MPI_Comm comm = MPI_COMM_WORLD;
    std::vector<int> values{rank, 10 + rank, -1, -1};
    MPI_Datatype upper = MPI_DATATYPE_NULL;
    const int two = 2;
    MPI_Type_create_indexed_block(1, 1, &two, MPI_INT, &upper);
    MPI_Type_commit(&upper);
    EXPECT_EQ(MPI_Alltoall(values.data(), 1, MPI_INT, values.data(), 1, upper, comm), MPI_SUCCESS);
    EXPECT_EQ(values, (std::vector<int>{rank, 10 + rank, 10 * rank, 10 * rank + 1}));
    EXPECT_EQ(MPI_Allgather(values.data(), 1, MPI_INT, values.data(), 1, upper, comm), MPI_SUCCESS);
    EXPECT_EQ(values, (std::vector<int>{rank, 10 + rank, 0, 1}));
    const std::vector<int> counts(static_cast<std::size_t>(size), 2);
    const std::vector<int> sent{0, 2};
    const std::vector<int> received{3, 5};
    values.resize(8);
    EXPECT_EQ(MPI_Alltoallv(values.data(), counts.data(), sent.data(), MPI_INT, values.data(), counts.data(),
                            received.data(), MPI_INT, comm),
              MPI_ERR_BUFFER);
    MPI_Type_free(&upper);
  });
}

TEST_P(ArgumentErrors, InPlaceIsNoAddressOfAMessage) {
  run(2, [](int rank, int) {
    return_errors();
    const int other = 1 - rank;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, other, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Recv(MPI_IN_PLACE, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Isend(MPI_IN_PLACE, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Irecv(MPI_IN_PLACE, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Send(MPI_IN_PLACE, 0, MPI_INT, other, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Recv(MPI_IN_PLACE, 0, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST_P(ArgumentErrors, ARequestThatStandsInTheArrayTwiceCompletesOnce) {
  run(1, [](int, int) {
    int values[2] = {};
    const auto twice = [&] {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(values, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Send(values + 1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      return std::vector<MPI_Request>(2, request);
    };
    std::vector<MPI_Request> requests = twice();
    EXPECT_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(requests, std::vector<MPI_Request>(2, MPI_REQUEST_NULL));
    requests = twice();
    int indices[2] = {-1, -1};
    int completed = 0;
    EXPECT_EQ(MPI_Waitsome(2, requests.data(), &completed, indices, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(completed, 1);
    EXPECT_EQ(requests, std::vector<MPI_Request>(2, MPI_REQUEST_NULL));
    // Each receive has a request of its own afterwards.
    MPI_Irecv(values, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(values + 1, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[1]);
    EXPECT_NE(requests[0], requests[1]);
    MPI_Send(values, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(values, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  });
}

// Makes what lies too far; every constructor must say so.
void expect_too_far(MPI_Datatype of) {
  const MPI_Count far = INT64_C(1) << 61;
  const MPI_Count one = 1;
  const MPI_Count farthest = INT64_MIN;
  const int all = INT_MAX;
  const MPI_Count sizes[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  const MPI_Count subsizes[] = {2, 2};
  const MPI_Count starts[] = {1, 1};
  MPI_Datatype made = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_contiguous_c(INT64_MAX, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_vector_c(INT64_MAX, INT64_MAX, INT64_MAX, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_vector_c(2, 1, INT64_MIN, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_hvector_c(3, 1, INT64_MIN, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_hindexed_c(1, &one, &far, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_hindexed_c(1, &one, &farthest, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_indexed_c(1, &far, &one, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_indexed_block_c(1, far, &far, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_struct_c(1, &one, &farthest, &of, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_resized_c(of, INT64_MIN, INT64_MIN, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_resized_c(of, INT64_MAX, INT64_MAX, &made), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, of, &made), MPI_ERR_ARG);
  const int whole[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
  const int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  const int grid[] = {1, 1};
  EXPECT_EQ(MPI_Type_create_darray_c(1, 0, 2, sizes, whole, usual, grid, MPI_ORDER_C, of, &made), MPI_ERR_ARG);
  const int many[] = {all, all};
  EXPECT_EQ(MPI_Type_create_darray_c(1, 0, 2, subsizes, whole, usual, many, MPI_ORDER_C, of, &made), MPI_ERR_ARG);
  EXPECT_EQ(made, MPI_DATATYPE_NULL);
}

TEST_P(ArgumentErrors, ATypeThatReachesTooFarIsNotMade) {
  run(1, [](int, int) {
    return_errors();
    expect_too_far(MPI_INT);
    MPI_Datatype back = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(MPI_INT, 0, -8, &back);
    expect_too_far(back);
    MPI_Type_free(&back);
  });
}

TEST_P(ArgumentErrors, ADisplacementThatWrapsRoundIsBeyondTheWindow) {
  run(2, [](int rank, int) {
    int memory[4] = {7, 7, 7, 7};
    int value = 1;
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    const MPI_Aint far = MPI_Aint{1} << 62;  // times 4 bytes is 2^64
    EXPECT_EQ(MPI_Put(&value, 1, MPI_INT, 1 - rank, far, 1, MPI_INT, window), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(MPI_Get(&value, 1, MPI_INT, 1 - rank, INT64_MAX, 1, MPI_INT, window), MPI_ERR_RMA_RANGE);
    MPI_Win_fence(0, window);
    EXPECT_EQ(memory[0], 7);
    MPI_Win_free(&window);
  });
}

TEST_P(ArgumentErrors, OnlyWhatIsAttachedIsInADynamicWindow) {
  run(1, [](int, int) {
    return_errors();
    int memory[16] = {};
    const int values[16] = {1, 2, 3};
    MPI_Win window = MPI_WIN_NULL;
    EXPECT_EQ(MPI_Win_create(MPI_IN_PLACE, 8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window), MPI_ERR_BASE);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Win_attach(window, nullptr, 8), MPI_ERR_BASE);
    EXPECT_EQ(MPI_Win_attach(window, MPI_IN_PLACE, 8), MPI_ERR_BASE);
    ASSERT_EQ(MPI_Win_attach(window, memory, 8 * sizeof(int)), MPI_SUCCESS);
    MPI_Aint place = 0;
    MPI_Get_address(memory, &place);
    MPI_Datatype spread = MPI_DATATYPE_NULL;  // ints 0, 2, 4 and 6
    MPI_Type_vector(4, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    const auto put = [&](MPI_Aint at) { return MPI_Put(values, 4, MPI_INT, 0, at, 1, spread, window); };
    MPI_Win_fence(0, window);
    EXPECT_EQ(put(place), MPI_SUCCESS);
    EXPECT_EQ(put(place + 2 * MPI_Aint{sizeof(int)}), MPI_ERR_RMA_RANGE);
    EXPECT_EQ(put(8), MPI_ERR_RMA_RANGE);
    // The last bytes of the address space and the first ones.
    EXPECT_EQ(MPI_Accumulate(values, 4, MPI_INT, 0, -8, 4, MPI_INT, MPI_SUM, window), MPI_ERR_RMA_RANGE);
    int old = 0;
    EXPECT_EQ(MPI_Compare_and_swap(values, MPI_IN_PLACE, &old, MPI_INT, 0, place, window), MPI_ERR_BUFFER);
    MPI_Win_fence(0, window);
    EXPECT_EQ(memory[4], 3);
    EXPECT_EQ(memory[8], 0);
    MPI_Type_free(&spread);
    MPI_Win_detach(window, memory);
    MPI_Win_free(&window);
  });
}

TEST_P(ArgumentErrors, ANullPointerIsNoErrorString) {
  run(1, [](int, int) {
    return_errors();
    int code = 0;
    MPI_Add_error_class(&code);
    EXPECT_EQ(MPI_Add_error_string(code, nullptr), MPI_ERR_ARG);
    MPI_Remove_error_class(code);
  });
}

TEST_P(ArgumentErrors, ACommunicatorIsNotMadeWithAHandlerOfSomethingElse) {
  run(2, [](int, int) {
    return_errors();
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm made = MPI_COMM_NULL;
    for (const char* const tag : {"tag", static_cast<const char*>(nullptr)}) {
      EXPECT_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &made), MPI_ERR_ERRHANDLER);
    }
    EXPECT_EQ(made, MPI_COMM_NULL);
    MPI_Group_free(&group);
  });
}

TEST_P(ArgumentErrors, GroupsOfAnIntercommunicatorDoNotOverlap) {
  run(2, [](int, int) {
    return_errors();
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_SELF, &group);
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Intercomm_create_from_groups(group, 0, group, 0, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
              MPI_ERR_GROUP);
    EXPECT_EQ(made, MPI_COMM_NULL);
    MPI_Group_free(&group);
  });
}

// One round of a cyclic distribution may be longer than the array by far.
TEST_P(ArgumentErrors, ALongRoundOfADistributionIsOneBlock) {
  run(1, [](int, int) {
    const int size[] = {10};
    const int distribution[] = {MPI_DISTRIBUTE_CYCLIC};
    const int block[] = {INT_MAX};
    const int grid[] = {INT_MAX};
    MPI_Datatype type = MPI_DATATYPE_NULL;
    ASSERT_EQ(MPI_Type_create_darray(INT_MAX, 0, 1, size, distribution, block, grid, MPI_ORDER_C, MPI_DOUBLE, &type),
              MPI_SUCCESS);
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    EXPECT_EQ(bytes, 80);
    MPI_Type_free(&type);
  });
}

TEST_P(ArgumentErrors, NullPointersForResultsAreArgumentErrors) {
  run(1, [](int, int) {
    return_errors();
    MPI_Aint bound = 0;
    EXPECT_EQ(MPI_Type_contiguous(2, MPI_INT, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_vector(2, 1, 2, MPI_INT, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_size(MPI_INT, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_get_extent(MPI_INT, nullptr, &bound), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_get_true_extent(MPI_INT, &bound, nullptr), MPI_ERR_ARG);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int range[1][3] = {{0, 0, 1}};
    EXPECT_EQ(MPI_Group_range_incl(world, 1, range, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Group_compare(world, world, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_get_info(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    MPI_Group_free(&world);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
