// Non-blocking collectives give the same bits as the blocking ones, in whatever order they complete.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/mpi_shim/coll/forms.hpp"

namespace weft::mpi_shim {
namespace {

class CollNonblocking : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollNonblocking, kSettings, name_of);

// Empty blocks, blocks of a word, of some words, and too long for a tree.
constexpr std::size_t kBlocks[] = {0, 1, 33, 300};

std::vector<double> blocking_result(Call call, const Arguments& like) {
  Arguments arguments = like;
  EXPECT_EQ(make_call(call, Form::blocking, arguments, nullptr), MPI_SUCCESS);
  return arguments.out;
}

std::vector<Call> all_calls(int group_calls) {
  std::vector<Call> calls(static_cast<std::size_t>(group_calls));
  for (int i = 0; i < group_calls; ++i) {
    calls[static_cast<std::size_t>(i)] = static_cast<Call>(i);
  }
  return calls;
}

// All calls at once, with the same arguments, waited for together.
void compare_all(Arguments given, MPI_Op op, const std::vector<Call>& calls) {
  given.op = op;
  std::vector<Arguments> arguments(calls.size(), given);
  std::vector<MPI_Request> requests(calls.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ASSERT_EQ(make_call(calls[i], Form::request, arguments[i], &requests[i]), MPI_SUCCESS);
  }
  ASSERT_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::vector<double> expected = blocking_result(calls[i], given);
    ASSERT_EQ(std::memcmp(arguments[i].out.data(), expected.data(), expected.size() * sizeof(double)), 0)
        << "call " << static_cast<int>(calls[i]) << " of blocks of " << given.block;
  }
}

TEST_P(CollNonblocking, GiveWhatBlockingCallsGive) {
  run_all([](int rank, int size) {
    MPI_Op own = MPI_OP_NULL;
    MPI_Op_create(decay, 0, &own);
    for (const std::size_t n : kBlocks) {
      compare_all({MPI_COMM_WORLD, rank, size, n, size / 2}, n == 33 ? own : MPI_SUM, all_calls(kCalls));
    }
    MPI_Op_free(&own);
  });
}

// Vectors that are sent in pieces or combined in parts.
TEST_P(CollNonblocking, LongOnesGiveTheSame) {
  for (const int size : {2, 5}) {
    run(size, [](int rank, int members) {
      MPI_Op own = MPI_OP_NULL;
      MPI_Op_create(decay, 0, &own);
      for (const MPI_Op op : {MPI_SUM, own}) {
        compare_all({MPI_COMM_WORLD, rank, members, 9000, members - 1}, op,
                    {Call::reduce, Call::allreduce, Call::reduce_scatter_block, Call::scan});
      }
      compare_all({MPI_COMM_WORLD, rank, members, 2500, 0}, own, {Call::allgather, Call::alltoall, Call::gather});
      compare_all({MPI_COMM_WORLD, rank, 1, 70000, 0}, own, {Call::bcast});
      MPI_Op_free(&own);
    });
  }
}

TEST_P(CollNonblocking, InPlace) {
  run_all([](int rank, int size) {
    for (const Call call : {Call::allgather, Call::allgatherv, Call::alltoall, Call::allreduce, Call::reduce_scatter,
                            Call::reduce_scatter_block, Call::scan, Call::exscan}) {
      Arguments arguments(MPI_COMM_WORLD, rank, size, 40, 0);
      arguments.in_place = true;
      arguments.out = arguments.in;
      const Arguments given = arguments;
      MPI_Request request = MPI_REQUEST_NULL;
      make_call(call, Form::request, arguments, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      const std::vector<double> expected = blocking_result(call, given);
      // The output behind the result of a reduce-scatter is undefined.
      const bool blocks = call == Call::reduce_scatter || call == Call::reduce_scatter_block;
      const std::size_t n = call == Call::reduce_scatter ? static_cast<std::size_t>(arguments.mine)
                            : blocks                     ? 40
                                                         : expected.size();
      ASSERT_EQ(std::memcmp(arguments.out.data(), expected.data(), n * sizeof(double)), 0) << static_cast<int>(call);
    }
  });
}

// Ranks wait in different orders, with messages and blocking calls between.
TEST_P(CollNonblocking, CompleteInAnyOrder) {
  run_all([](int rank, int size) {
    constexpr int kMany = 24;
    std::vector<int> sums(kMany), values(kMany), order(kMany);
    std::vector<MPI_Request> requests(kMany, MPI_REQUEST_NULL);
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < kMany; ++i) {
      const auto at = static_cast<std::size_t>(i);
      values[at] = rank + i;
      MPI_Iallreduce(&values[at], &sums[at], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[at]);
      if (i % 8 == 3) {
        int all = 0, from = -1;
        MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, i, &from, 1, MPI_INT, (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT_EQ(all, size - 1);
        EXPECT_EQ(from, (rank + size - 1) % size);
      }
    }
    if (rank % 2 == 1) {
      std::reverse(order.begin(), order.end());
    }
    for (const int i : order) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Status status;
      ASSERT_EQ(MPI_Wait(&requests[at], &status), MPI_SUCCESS);
      EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
      EXPECT_EQ(sums[at], size * (size - 1) / 2 + i * size);
    }
  });
}

// A rank with a pending call makes progress on it while it blocks in another one.
TEST_P(CollNonblocking, GoOnWhileTheRankBlocks) {
  run_all([](int rank, int size) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int round = 0; round < 4; ++round) {
      int sum = -1;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      const bool waits_first = rank % 2 == round % 2;
      if (waits_first) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(sum, size * (size - 1) / 2);
      }
      if (round < 2) {
        MPI_Barrier(other);
      } else if (round == 2) {
        MPI_Comm more = MPI_COMM_NULL;
        MPI_Comm_split(other, rank % 3, rank, &more);
        MPI_Comm_free(&more);
      } else {
        MPI_Migrate();
      }
      if (!waits_first) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      EXPECT_EQ(sum, size * (size - 1) / 2);
    }
    MPI_Comm_free(&other);
  });
}

TEST_P(CollNonblocking, OrderMayDifferBetweenCommunicators) {
  run(5, [](int rank, int size) {
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_NULL};
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    const int first = rank % 2;
    int sums[2] = {-1, -1};
    MPI_Request requests[2];
    for (const int i : {first, 1 - first}) {
      MPI_Iallreduce(&rank, &sums[i], 1, MPI_INT, i == 0 ? MPI_SUM : MPI_MAX, comms[i], &requests[i]);
      MPI_Barrier(comms[0]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(sums[0], size * (size - 1) / 2);
    EXPECT_EQ(sums[1], size - 1);
    MPI_Comm_free(&comms[1]);
  });
}

TEST_P(CollNonblocking, KeepWhatTheProgramFrees) {
  run_all([](int rank, int size) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype every_other = MPI_DATATYPE_NULL;
    MPI_Op own = MPI_OP_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_vector(50, 1, 2, MPI_DOUBLE, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Op_create(decay, 0, &own);
    std::vector<double> data(100, rank == 0 ? 5.0 : -1.0), in(40, rank + 1.0), out(40, -1.0), expected(40, -1.0);
    MPI_Allreduce(in.data(), expected.data(), 40, MPI_DOUBLE, own, comm);
    MPI_Request requests[2];
    MPI_Ibcast(data.data(), 1, every_other, 0, comm, &requests[0]);
    MPI_Iallreduce(in.data(), out.data(), 40, MPI_DOUBLE, own, comm, &requests[1]);
    MPI_Type_free(&every_other);
    MPI_Op_free(&own);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(out, expected);
    EXPECT_EQ(data[98], 5.0);
    EXPECT_EQ(data[97], rank == 0 ? 5.0 : -1.0);
    EXPECT_GE(size, 1);
  });
}

// Sums of elements with gaps between them, short and long.
TEST_P(CollNonblocking, ReduceElementsWithGaps) {
  run(5, [](int rank, int size) {
    MPI_Datatype pairs = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 3, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    for (const int n : {3, 6000}) {
      const auto length = static_cast<std::size_t>(n) * 4;
      std::vector<int> in(length), out(length, -1), before(length, -1);
      std::iota(in.begin(), in.end(), rank);
      MPI_Request requests[2];
      MPI_Iallreduce(in.data(), out.data(), n, pairs, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
      MPI_Iscan(in.data(), before.data(), n, pairs, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < 4 * n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool gap = i % 4 == 1 || i % 4 == 2;
        ASSERT_EQ(out[at], gap ? -1 : size * i + size * (size - 1) / 2) << i;
        ASSERT_EQ(before[at], gap ? -1 : (rank + 1) * i + rank * (rank + 1) / 2) << i;
      }
    }
    MPI_Type_free(&pairs);
  });
}

TEST_P(CollNonblocking, BetweenGroups) {
  for (const int size : {2, 5, 8}) {
    run(size, [](int rank, int members) {
      const int middle = members / 2;
      const bool low = rank < middle;
      MPI_Comm local = MPI_COMM_NULL, between = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, &local);
      MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? middle : 0, 7, &between);
      int own = 0, others = 0;
      MPI_Comm_rank(between, &own);
      MPI_Comm_remote_size(between, &others);
      const int root = !low ? middle - 1 : own == middle - 1 ? MPI_ROOT : MPI_PROC_NULL;
      for (const std::size_t n : {std::size_t{1}, std::size_t{700}}) {
        std::vector<Call> calls{Call::barrier,   Call::bcast,    Call::gather, Call::scatter,
                                Call::allgather, Call::alltoall, Call::reduce, Call::allreduce};
        compare_all({between, own, others, n, root}, MPI_SUM, calls);
      }
      MPI_Comm_free(&between);
      MPI_Comm_free(&local);
    });
  }
}

TEST_P(CollNonblocking, Neighbours) {
  run_all([](int rank, int size) {
    MPI_Comm ring = MPI_COMM_NULL;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    const int below = (rank + size - 1) % size;
    const int above = (rank + 1) % size;
    const int out[2] = {10 * rank, 10 * rank + 1};  // down, up
    const int one[2] = {1, 1};
    const int places[2] = {1, 0};
    const MPI_Aint bytes[2] = {0, sizeof(int)};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int in[5][2];
    MPI_Request requests[5];
    MPI_Ineighbor_alltoall(out, 1, MPI_INT, in[0], 1, MPI_INT, ring, &requests[0]);
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, in[1], 1, MPI_INT, ring, &requests[1]);
    MPI_Ineighbor_alltoallv(out, one, places, MPI_INT, in[2], one, places, MPI_INT, ring, &requests[2]);
    MPI_Ineighbor_allgatherv(&rank, 1, MPI_INT, in[3], one, places, MPI_INT, ring, &requests[3]);
    MPI_Ineighbor_alltoallw(out, one, bytes, types, in[4], one, bytes, types, ring, &requests[4]);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(in[0][0], 10 * below + 1);
    EXPECT_EQ(in[0][1], 10 * above);
    EXPECT_EQ(in[1][0], below);
    EXPECT_EQ(in[1][1], above);
    EXPECT_EQ(in[2][1], 10 * below);
    EXPECT_EQ(in[2][0], 10 * above + 1);
    EXPECT_EQ(in[3][1], below);
    EXPECT_EQ(in[3][0], above);
    EXPECT_EQ(in[4][0], 10 * below + 1);
    EXPECT_EQ(in[4][1], 10 * above);
    MPI_Comm_free(&ring);
  });
}

TEST_P(CollNonblocking, LargeCounts) {
  run_all([](int rank, int size) {
    const MPI_Count n = 3;
    double in[3] = {rank + 1.0, 2.0, 3.0}, sums[3] = {};
    std::vector<double> all(static_cast<std::size_t>(3 * size));
    MPI_Request requests[2];
    MPI_Iallreduce_c(in, sums, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallgather_c(in, n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(sums[0], size * (size + 1) / 2.0);
    EXPECT_EQ(all[all.size() - 3], size);
  });
}

TEST_P(CollNonblocking, AnOperationGetsAddressesOfElementsWhoseDataAreDisplaced) {
  run_all([](int, int size) {
    MPI_Datatype type = displaced_ints();
    MPI_Op add = MPI_OP_NULL;
    MPI_Op_create(add_displaced, 1, &add);
    for (const int count : {1, 2}) {
      const std::vector<int> in(static_cast<std::size_t>(kSkippedInts + 4 * count), 3);
      std::vector<int> at_once(in.size(), -1), later(in.size(), -1);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Allreduce(in.data(), at_once.data(), count, type, add, MPI_COMM_WORLD);
      MPI_Iallreduce(in.data(), later.data(), count, type, add, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(later, at_once);
      EXPECT_EQ(later.front(), -1);
      EXPECT_EQ(later.back(), 3 * size);
    }
    MPI_Op_free(&add);
    MPI_Type_free(&type);
  });
}

TEST_P(CollNonblocking, RefuseWhatMpiForbids) {
  run(2, [](int rank, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(class_of(MPI_Ibcast(&sum, 1, MPI_INT, 2, MPI_COMM_WORLD, &request)), MPI_ERR_ROOT);
    EXPECT_EQ(class_of(MPI_Iallreduce(&rank, &sum, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request)), MPI_ERR_COUNT);
    EXPECT_EQ(class_of(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD, &request)), MPI_ERR_OP);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    if (rank == 1) {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    EXPECT_EQ(class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
    if (rank == 0) {
      EXPECT_EQ(class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
      EXPECT_NE(request, MPI_REQUEST_NULL);
      MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(sum, 1);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int complete = 0; complete == 0;) {
      MPI_Request_get_status(request, &complete, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    int values[2] = {};
    MPI_Ibcast(values, rank == 0 ? 2 : 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
