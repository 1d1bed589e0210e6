// Neighbourhood collectives on grids and graphs.
#include "tests/mpi_shim/coll/oracle.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

class CollNeighbour : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, CollNeighbour, kSettings, name_of);

// A block from the lower neighbour was sent upwards, even where both neighbours are the same rank or the rank itself.
TEST_P(CollNeighbour, PeriodicRing) {
  run_all([](int rank, int size) {
    MPI_Comm ring = MPI_COMM_NULL;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    const int below = (rank + size - 1) % size;
    const int above = (rank + 1) % size;
    const int out[2] = {10 * rank, 10 * rank + 1};  // down, up
    int in[2] = {-1, -1};
    ASSERT_EQ(MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring), MPI_SUCCESS);
    EXPECT_EQ(in[0], 10 * below + 1);
    EXPECT_EQ(in[1], 10 * above);
    int all[2] = {-1, -1};
    ASSERT_EQ(MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, ring), MPI_SUCCESS);
    EXPECT_EQ(all[0], below);
    EXPECT_EQ(all[1], above);
    MPI_Comm_free(&ring);
  });
}

TEST_P(CollNeighbour, NothingCrossesTheBorderOfAGrid) {
  run_all([](int rank, int size) {
    MPI_Comm line = MPI_COMM_NULL;
    const int periodic = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    const std::vector<int> mine(3000, rank);
    std::vector<int> in(6000, -7);
    MPI_Neighbor_allgather(mine.data(), 3000, MPI_INT, in.data(), 3000, MPI_INT, line);
    EXPECT_EQ(in[2999], rank == 0 ? -7 : rank - 1);
    EXPECT_EQ(in[3000], rank == size - 1 ? -7 : rank + 1);
    MPI_Comm_free(&line);
  });
}

// Every rank sends r + 1 ints to each rank r, through a complete graph.
TEST_P(CollNeighbour, BlocksOfDifferentLengthsOnAGraph) {
  run_all([](int rank, int size) {
    const auto n = static_cast<std::size_t>(size);
    std::vector<int> ranks(n), counts_out(n), displacements_out(n), counts_in(n, rank + 1), displacements_in(n);
    std::size_t length = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ranks[i] = static_cast<int>(i);
      counts_out[i] = static_cast<int>(i) + 1;
      displacements_out[i] = static_cast<int>(length);
      displacements_in[i] = static_cast<int>(i) * (rank + 1);
      length += i + 1;
    }
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, ranks.data(), MPI_UNWEIGHTED, size, ranks.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    const std::vector<int> out(length, rank);
    std::vector<int> in(n * static_cast<std::size_t>(rank + 1), -1);
    ASSERT_EQ(MPI_Neighbor_alltoallv(out.data(), counts_out.data(), displacements_out.data(), MPI_INT, in.data(),
                                     counts_in.data(), displacements_in.data(), MPI_INT, graph),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(in[i], static_cast<int>(i) / (rank + 1));
    }
    MPI_Comm_free(&graph);
  });
}

// Rank 0 sends to all others and receives nothing; the others send nothing.
TEST_P(CollNeighbour, ASideWithoutNeighboursNeedsNoBuffer) {
  run_all([](int rank, int size) {
    const int root = 0;
    std::vector<int> others;
    for (int other = 1; rank == root && other < size; ++other) {
      others.push_back(other);
    }
    MPI_Comm star = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == root ? 0 : 1, &root, MPI_UNWEIGHTED,
                                   static_cast<int>(others.size()), others.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &star);
    const int* const out = others.empty() ? nullptr : &size;
    int got = -1;
    int* const in = rank == root ? nullptr : &got;
    ASSERT_EQ(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, star), MPI_SUCCESS);
    EXPECT_EQ(got, rank == root ? -1 : size);
    MPI_Comm_free(&star);
  });
}

TEST_P(CollNeighbour, ACommunicatorWithoutTopologyIsAnError) {
  run(2, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int in[2], error_class = 0;
    const int out = 1;
    MPI_Error_class(MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), &error_class);
    EXPECT_EQ(error_class, MPI_ERR_TOPOLOGY);
  });
}

}  // namespace
}  // namespace weft::mpi_shim
