// Grids and graphs.
#include <algorithm>
#include <climits>
#include <numeric>
#include <vector>

#include "mpi_shim/topology/comm_topology.hpp"
#include "mpi_shim/topology/dims.hpp"
#include "tests/mpi_shim/mpi_fixture.hpp"

namespace weft::mpi_shim {
namespace {

int spread(const std::vector<int>& factors) { return factors.front() - factors.back(); }

// The smallest spread of all decreasing factorizations, by trying them all.
int best_spread(int nodes, int count, int limit, std::vector<int>& chosen) {
  if (count == 0) {
    return nodes == 1 ? spread(chosen) : nodes + limit + 1000000;
  }
  int best = 10000000;
  for (int d = 1; d <= std::min(limit, nodes); ++d) {
    if (nodes % d == 0) {
      chosen.push_back(d);
      best = std::min(best, best_spread(nodes / d, count - 1, d, chosen));
      chosen.pop_back();
    }
  }
  return best;
}

TEST(Dims, FactorsAreTheMostBalanced) {
  for (int nodes = 1; nodes <= 240; ++nodes) {
    for (int count = 1; count <= 4; ++count) {
      const std::vector<int> factors = balanced_factors(nodes, count);
      EXPECT_EQ(std::accumulate(factors.begin(), factors.end(), 1, std::multiplies<>()), nodes);
      EXPECT_TRUE(std::is_sorted(factors.rbegin(), factors.rend()));
      std::vector<int> chosen;
      EXPECT_EQ(spread(factors), best_spread(nodes, count, nodes, chosen)) << nodes << " in " << count;
    }
  }
}

TEST(Dims, LargestFactorDecidesBetweenEqualSpreads) {
  EXPECT_EQ(balanced_factors(5040, 3), (std::vector<int>{21, 16, 15}));  // not 20, 18, 14
  EXPECT_EQ(balanced_factors(590520, 4), (std::vector<int>{38, 37, 21, 20}));
  EXPECT_EQ(balanced_factors(5616, 4), (std::vector<int>{13, 9, 8, 6}));  // not 13, 12, 6, 6
}

TEST(Dims, LargeNumbersAreQuick) {
  EXPECT_EQ(balanced_factors(1 << 20, 2), (std::vector<int>{1024, 1024}));
  EXPECT_EQ(balanced_factors(720720, 3), (std::vector<int>{91, 90, 88}));
  EXPECT_EQ(balanced_factors(2147483647, 2), (std::vector<int>{2147483647, 1}));
}

class TopologyCalls : public MpiTest {};
INSTANTIATE_TEST_SUITE_P(Settings, TopologyCalls, kSettings, name_of);

TEST_P(TopologyCalls, DimsCreateKeepsWhatIsGiven) {
  run(1, [](int, int) {
    int dims[] = {0, 3, 0};
    EXPECT_EQ(MPI_Dims_create(12, 3, dims), MPI_SUCCESS);
    EXPECT_EQ(std::vector<int>(dims, dims + 3), (std::vector<int>{2, 3, 2}));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int odd[] = {5, 0};
    EXPECT_EQ(MPI_Dims_create(12, 2, odd), MPI_ERR_DIMS);
    int negative[] = {-1, 0};
    EXPECT_EQ(MPI_Dims_create(12, 2, negative), MPI_ERR_DIMS);
    int huge[] = {65536, 65536, 65536, 65536, 0};  // their product is 2^64
    EXPECT_EQ(MPI_Dims_create(12, 5, huge), MPI_ERR_DIMS);
  });
}

TEST_P(TopologyCalls, AGridKnowsItsNeighbours) {
  run(16, [](int rank, int) {
    const int dims[] = {3, 5};
    const int periods[] = {0, 1};
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    if (rank == 15) {
      EXPECT_EQ(grid, MPI_COMM_NULL);
      return;
    }
    int coords[2] = {};
    MPI_Cart_coords(grid, rank, 2, coords);
    EXPECT_EQ(coords[0], rank / 5);
    EXPECT_EQ(coords[1], rank % 5);
    int back = -1;
    MPI_Cart_rank(grid, coords, &back);
    EXPECT_EQ(back, rank);
    coords[1] -= 10;
    MPI_Cart_rank(grid, coords, &back);
    EXPECT_EQ(back, rank) << "periodic";
    int source = 0;
    int dest = 0;
    MPI_Cart_shift(grid, 0, 1, &source, &dest);
    EXPECT_EQ(source, rank < 5 ? int{MPI_PROC_NULL} : rank - 5);
    EXPECT_EQ(dest, rank >= 10 ? int{MPI_PROC_NULL} : rank + 5);
    MPI_Cart_shift(grid, 1, 2, &source, &dest);
    EXPECT_EQ(dest, rank / 5 * 5 + (rank + 2) % 5);
    EXPECT_EQ(source, rank / 5 * 5 + (rank % 5 + 3) % 5);
    int farther = 0;
    int from_farther = 0;
    static_assert(INT_MAX % 5 == 2);
    MPI_Cart_shift(grid, 1, INT_MAX, &from_farther, &farther);
    EXPECT_EQ(farther, dest);
    EXPECT_EQ(from_farther, source);
    MPI_Cart_shift(grid, 0, INT_MIN, &from_farther, &farther);
    EXPECT_EQ(farther, MPI_PROC_NULL);
    EXPECT_EQ(from_farther, MPI_PROC_NULL);
    int status = 0;
    MPI_Topo_test(grid, &status);
    EXPECT_EQ(status, MPI_CART);
    int word = rank;
    int got = -1;
    MPI_Send(&word, 1, MPI_INT, dest, 0, grid);
    MPI_Recv(&got, 1, MPI_INT, source, 0, grid, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, source);
    MPI_Comm_free(&grid);
  });
}

TEST_P(TopologyCalls, SubGridsKeepTheirDimensions) {
  run(12, [](int rank, int) {
    const int dims[] = {2, 3, 2};
    const int periods[] = {1, 0, 1};
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    const int remain[] = {0, 1, 1};
    MPI_Comm plane = MPI_COMM_NULL;
    MPI_Cart_sub(grid, remain, &plane);
    int ndims = 0;
    MPI_Cartdim_get(plane, &ndims);
    EXPECT_EQ(ndims, 2);
    int sub_dims[2] = {};
    int sub_periods[2] = {};
    int coords[2] = {};
    MPI_Cart_get(plane, 2, sub_dims, sub_periods, coords);
    EXPECT_EQ(sub_dims[0], 3);
    EXPECT_EQ(sub_dims[1], 2);
    EXPECT_EQ(sub_periods[0], 0);
    EXPECT_EQ(sub_periods[1], 1);
    EXPECT_EQ(coords[0], rank / 2 % 3);
    EXPECT_EQ(coords[1], rank % 2);
    int number = -1;
    int size = 0;
    MPI_Comm_rank(plane, &number);
    MPI_Comm_size(plane, &size);
    EXPECT_EQ(size, 6);
    EXPECT_EQ(number, rank % 6);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(plane, &copy);
    int status = 0;
    MPI_Topo_test(copy, &status);
    EXPECT_EQ(status, MPI_CART) << "a copy keeps the topology";
    MPI_Comm point = MPI_COMM_NULL;
    const int none[] = {0, 0, 0};
    MPI_Cart_sub(grid, none, &point);
    MPI_Comm_size(point, &size);
    EXPECT_EQ(size, 1);
    for (MPI_Comm* comm : {&point, &copy, &plane, &grid}) {
      MPI_Comm_free(comm);
    }
  });
}

TEST_P(TopologyCalls, AGraphOfTheStandardsExample) {
  run(5, [](int rank, int) {
    const int index[] = {2, 3, 4, 6};
    const int edges[] = {1, 3, 0, 3, 0, 2};
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
    if (rank == 4) {
      EXPECT_EQ(graph, MPI_COMM_NULL);
      return;
    }
    int nodes = 0;
    int count = 0;
    MPI_Graphdims_get(graph, &nodes, &count);
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(count, 6);
    MPI_Graph_neighbors_count(graph, 3, &count);
    EXPECT_EQ(count, 2);
    int found[2] = {-1, -1};
    MPI_Graph_neighbors(graph, 3, 2, found);
    EXPECT_EQ(found[0], 0);
    EXPECT_EQ(found[1], 2);
    int got_index[4] = {};
    int got_edges[6] = {};
    MPI_Graph_get(graph, 4, 6, got_index, got_edges);
    EXPECT_TRUE(std::equal(index, index + 4, got_index));
    EXPECT_TRUE(std::equal(edges, edges + 6, got_edges));
    MPI_Comm_free(&graph);
  });
}

TEST_P(TopologyCalls, ARingAsDistributedGraph) {
  run_all([](int rank, int size) {
    const int left = (rank + size - 1) % size;
    const int right = (rank + 1) % size;
    MPI_Comm ring = MPI_COMM_NULL;
    const int weight = 10 + rank;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &ring);
    int in = 0;
    int out = 0;
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted);
    EXPECT_EQ(in, 1);
    EXPECT_EQ(out, 1);
    EXPECT_EQ(weighted, 1);
    int source = -1;
    int dest = -1;
    int weights[2] = {};
    MPI_Dist_graph_neighbors(ring, 1, &source, &weights[0], 1, &dest, &weights[1]);
    EXPECT_EQ(source, left);
    EXPECT_EQ(dest, right);
    EXPECT_EQ(weights[0], weight);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(ring, &copy);
    MPI_Dist_graph_neighbors(copy, 1, &source, MPI_UNWEIGHTED, 1, &dest, MPI_UNWEIGHTED);
    EXPECT_EQ(source, left);
    const Neighbours found = neighbours(*find_comm(rank_state(), copy));
    EXPECT_EQ(found.destinations, std::vector<int>{right});
    MPI_Comm_free(&copy);
    MPI_Comm_free(&ring);
  });
}

TEST_P(TopologyCalls, AnyRankMayNameAnyEdge) {
  run_all([](int rank, int size) {
    // Rank 0 names all edges: from every rank to all ranks below it, weighted by both ends.
    std::vector<int> sources;
    std::vector<int> degrees;
    std::vector<int> destinations;
    std::vector<int> weights;
    for (int from = 0; rank == 0 && from < size; ++from) {
      sources.push_back(from);
      degrees.push_back(from);
      for (int to = 0; to < from; ++to) {
        destinations.push_back(to);
        weights.push_back(100 * from + to);
      }
    }
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                          destinations.data(), rank == 0 ? weights.data() : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                          &graph);
    int in = 0;
    int out = 0;
    int weighted = 0;
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    EXPECT_EQ(in, size - 1 - rank);
    EXPECT_EQ(out, rank);
    EXPECT_NE(weighted, 0);
    std::vector<int> from(static_cast<std::size_t>(size));
    std::vector<int> to(from);
    std::vector<int> in_weights(from);
    std::vector<int> out_weights(from);
    MPI_Dist_graph_neighbors(graph, in, from.data(), in_weights.data(), out, to.data(), out_weights.data());
    for (int i = 0; i < in; ++i) {
      EXPECT_EQ(from[static_cast<std::size_t>(i)], rank + 1 + i);
      EXPECT_EQ(in_weights[static_cast<std::size_t>(i)], 100 * (rank + 1 + i) + rank);
    }
    for (int i = 0; i < out; ++i) {
      EXPECT_EQ(to[static_cast<std::size_t>(i)], i);
      EXPECT_EQ(out_weights[static_cast<std::size_t>(i)], 100 * rank + i);
    }
    MPI_Comm_free(&graph);
  });
}

TEST_P(TopologyCalls, WrongArgumentsAreNamedByClass) {
  run(5, [](int, int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int too_many[] = {6};
    const int periods[] = {0, 0};
    MPI_Comm made = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, 1, too_many, periods, 0, &made), MPI_ERR_DIMS);
    int value = 0;
    EXPECT_EQ(MPI_Cartdim_get(MPI_COMM_WORLD, &value), MPI_ERR_TOPOLOGY);
    EXPECT_EQ(MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &value), MPI_ERR_TOPOLOGY);
    MPI_Topo_test(MPI_COMM_WORLD, &value);
    EXPECT_EQ(value, MPI_UNDEFINED);
    const int line[] = {5};
    MPI_Cart_create(MPI_COMM_WORLD, 1, line, periods, 0, &made);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    const int outside[] = {5};
    EXPECT_EQ(MPI_Cart_rank(made, outside, &value), MPI_ERR_ARG);
    int source = 0;
    int dest = 0;
    EXPECT_EQ(MPI_Cart_shift(made, 1, 1, &source, &dest), MPI_ERR_DIMS);
    MPI_Comm_free(&made);
  });
}

TEST_P(TopologyCalls, NullPointersAreArgumentErrors) {
  run(2, [](int rank, int size) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm line = MPI_COMM_NULL;
    const int periodic = 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    int value = 0;
    int other = 0;
    EXPECT_EQ(MPI_Cart_get(line, 1, &value, &other, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_coords(line, rank, 1, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_rank(line, nullptr, &value), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_shift(line, 0, 1, nullptr, &value), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_shift(line, 0, 1, &value, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_sub(line, nullptr, &line), MPI_ERR_ARG);
    MPI_Comm_free(&line);
    MPI_Comm made = MPI_COMM_NULL;
    const int index[] = {1, 1};
    EXPECT_EQ(MPI_Graph_create(MPI_COMM_WORLD, 2, index, nullptr, 0, &made), MPI_ERR_ARG);
    const int sources[] = {0, 0};
    const int degrees[] = {INT_MAX, INT_MAX};
    EXPECT_EQ(
        MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, nullptr, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
        MPI_ERR_ARG);
    EXPECT_EQ(
        MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, sources, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
        MPI_ERR_ARG)
        << "more edges than an int counts";
  });
}

}  // namespace
}  // namespace weft::mpi_shim
