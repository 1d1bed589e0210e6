// The strategy metis: against all plans, on graphs whose best cut is known, and against the price of moves.
#include "lb/metis.hpp"

#include <gtest/gtest.h>

#include "lb/communication.hpp"
#include "lb/hwtopo.hpp"
#include "lb/loads.hpp"
#include "lb/partition.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

// A grid of ranks that talk to their four neighbours, dealt out at random to 16 workers of 4 processes on 2 hosts.
Instance scattered_grid(std::uint32_t side, std::uint64_t edge_bytes) {
  Instance problem = random_instance(3, side * side, 16);
  std::mt19937_64 random(5);
  for (std::uint32_t worker = 0; worker < 16; ++worker) {
    problem.workers[worker].place = {worker / 4, worker / 4, worker / 8};
  }
  for (std::uint32_t i = 0; i < side * side; ++i) {
    problem.ranks[i] = {RankId{i}, WorkerId{static_cast<std::uint32_t>(random() % 16)}, 1e-3 * (0.5 + uniform(random)),
                        1U << 16U};
    if (i % side + 1 < side) {
      problem.edges.push_back({i, i + 1, 10, edge_bytes});
    }
    if (i + side < side * side) {
      problem.edges.push_back({i, i + side, 10, edge_bytes});
    }
  }
  return problem;
}

TEST(Partition, CutsTwoCliquesApart) {
  Graph graph;
  graph.first.push_back(0);
  for (std::int32_t i = 0; i < 8; ++i) {
    for (std::int32_t other = 0; other < 8; ++other) {
      if (i != other && (i / 4 == other / 4 || i + other == 7)) {
        graph.neighbours.push_back(other);
        graph.weights.push_back(i / 4 == other / 4 ? 10 : 1);
      }
    }
    graph.first.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
    graph.work.push_back(5);
  }
  const auto parts = partition(graph, std::vector<float>{0.5F, 0.5F}, 1.05F);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(parts[i], parts[i / 4 * 4]);
  }
  EXPECT_NE(parts[0], parts[4]);
}

TEST(Metis, IsNearTheBestOfAllPlansWithMessages) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Instance problem = random_instance(seed, 3 + seed % 5, 2 + seed % 2, {.edges = true, .places = seed % 4 >= 2});
    for (Edge& edge : problem.edges) {
      edge.bytes *= 20'000;  // on the way to another process some tenths of the work
    }
    const double after = seconds_with_messages(problem, Metis().solve(problem));
    EXPECT_LE(after, 1.5 * best_of_all_plans(problem, seconds_with_messages)) << seed;
    EXPECT_LE(after, seconds_with_messages(problem, HwTopo().solve(problem)) + 1e-3) << seed;
  }
}

TEST(Metis, BringsNeighboursTogetherWhereMessagesWeigh) {
  const Instance problem = scattered_grid(40, 1'000'000);
  const Plan plan = Metis().solve(problem);
  const double before = seconds_with_messages(problem, homes_of(problem));
  EXPECT_LT(seconds_with_messages(problem, plan), 0.5 * before);
  EXPECT_LT(seconds_with_messages(problem, plan), 0.8 * seconds_with_messages(problem, HwTopo().solve(problem)));
  EXPECT_LE(longest_seconds(problem, partitioned(problem)), 1.2 * ideal_seconds(problem));
}

TEST(Metis, StaysWhereMovesCostMoreThanTheyBring) {
  Instance problem = scattered_grid(40, 1'000'000);
  problem.seconds_per_move = 10.0;
  const Plan plan = Metis(1).solve(problem);
  EXPECT_LE(moves_of(problem, plan).ranks, moves_of(problem, HwTopo().solve(problem)).ranks);
}

// Parts take the places where most of their ranks are: what METIS has divided stays where it is.
TEST(Metis, KeepsPartsWhereTheyAre) {
  Instance problem = scattered_grid(40, 1'000);
  const Plan first = partitioned(problem);
  for (std::size_t i = 0; i < first.size(); ++i) {
    problem.ranks[i].home = WorkerId{number(first[i]) ^ 5U};  // the host's other process, and another worker there
  }
  const Plan again = partitioned(problem);
  EXPECT_LT(moves_of(problem, again).ranks, problem.ranks.size() / 4);
}

TEST(Metis, DividesWorkBySpeedAndBackground) {
  Instance problem = scattered_grid(40, 10);
  for (std::uint32_t worker = 0; worker < 16; ++worker) {
    problem.workers[worker].speed = worker % 2 == 0 ? 1.0 : 0.5;
    problem.workers[worker].background_seconds = worker == 3 ? 0.05 : 0.0;
  }
  EXPECT_LE(longest_seconds(problem, partitioned(problem)), 1.25 * ideal_seconds(problem));
}

}  // namespace
}  // namespace weft::lb
