// Strategies that use the machine's topology: hierarchical, nuco, hwtopo.
#include <gtest/gtest.h>

#include <string>

#include "base/options.hpp"
#include "lb/communication.hpp"
#include "lb/hierarchy.hpp"
#include "lb/loads.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

double message_total(const Instance& problem, const Plan& plan) {
  double total = 0.0;
  for (const double seconds : message_seconds(problem, Neighbours(problem), plan)) {
    total += seconds;
  }
  return total;
}

// 16 workers: 2 to a NUMA node and process, 4 to a host.
Instance cluster(std::uint64_t seed, std::uint32_t ranks, bool edges) {
  return random_instance(seed, ranks, 16, {.edges = edges, .places = true});
}

TEST(Hierarchical, BalancesOverHostsAndProcesses) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Instance problem = cluster(seed, 3000, false);
    const Plan plan = make_strategy("hierarchical")->solve(problem);
    EXPECT_LE(longest_seconds(problem, plan), 1.12 * ideal_seconds(problem));
  }
}

TEST(Hierarchical, LeavesOtherProcessesAloneWhereOneIsLopsided) {
  Instance problem = instance(std::vector<double>(160, 1.0), 16);
  for (std::uint32_t i = 0; i < 160; ++i) {
    const std::uint32_t home = i / 10;
    problem.ranks[i].home = WorkerId{home == 5 ? 4 : home};
  }
  for (std::uint32_t worker = 0; worker < 16; ++worker) {
    problem.workers[worker].place = {worker / 2, worker / 2, worker / 4};
  }
  const Plan plan = make_strategy("hierarchical:refine/refine")->solve(problem);
  EXPECT_EQ(longest_seconds(problem, plan), 10.0);
  EXPECT_EQ(moves_of(problem, plan).ranks, 10U);
}

TEST(Hierarchical, TellsParentsSumsOfFewClusters) {
  ProcessLoad process;
  process.instance = random_instance(1, 5000, 4, {.bound = true});
  const Summary summary = summarize(process, 64);
  EXPECT_LE(summary.clusters.size(), 64U);
  EXPECT_GE(summary.clusters.size(), 60U);
  double all = summary.fixed_work;
  std::size_t members = 0;
  std::uint32_t end = 0;
  for (const RankCluster& cluster : summary.clusters) {
    all += cluster.work;
    EXPECT_GE(cluster.first, end);
    end = cluster.end;
    for (std::uint32_t i = cluster.first; i < cluster.end; ++i) {
      members += process.instance.ranks[i].may_move ? 1 : 0;
    }
    EXPECT_LT(cluster.work, 2.0 * (all + 1.0));
  }
  double work = 0.0;
  std::size_t movable = 0;
  for (const RankLoad& rank : process.instance.ranks) {
    work += work_of(process.instance, rank);
    movable += rank.may_move ? 1 : 0;
  }
  EXPECT_NEAR(all, work, 1e-9 * work);
  EXPECT_EQ(members, movable);
  const std::vector<Summary> children = {summary, summary, summary};
  EXPECT_LE(summarize(children, 64).clusters.size(), 64U);
}

TEST(Hierarchical, RefusesAWrongComposition) {
  for (const char* const text : {"hierarchical:refine/", "hierarchical:a/b", "hierarchical:hierarchical/refine",
                                 "hierarchical:refine/refine/refine", "hierarchical:refine/greddy"}) {
    EXPECT_THROW((void)make_strategy(text), base::OptionError) << text;
  }
  EXPECT_NE(make_strategy("hierarchical:hwtopo/refine:1.10"), nullptr);
}

class TopologyAware : public testing::TestWithParam<const char*> {};

TEST_P(TopologyAware, SpendsLessOnMessagesThanGreedy) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Instance problem = cluster(seed, 320, true);
    for (std::uint32_t i = 0; i < 320; ++i) {  // neighbours together, the first quarter heavy
      problem.ranks[i].home = WorkerId{i / 20};
      problem.ranks[i].seconds *= i < 80 ? 3.0 : 1.0;
    }
    for (Edge& edge : problem.edges) {
      edge.bytes *= 2000;  // between hosts a tenth of the work
    }
    const Plan plan = make_strategy(GetParam())->solve(problem);
    const Plan greedy = make_strategy("greedy")->solve(problem);
    EXPECT_LT(message_total(problem, plan), 0.9 * message_total(problem, greedy));
    EXPECT_LT(longest_seconds(problem, plan), longest_seconds(problem, homes_of(problem)));
  }
}

TEST_P(TopologyAware, BalancesWhereThereAreNoMessages) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Instance problem = cluster(seed, 800, false);
    const Plan plan = make_strategy(GetParam())->solve(problem);
    EXPECT_LE(longest_seconds(problem, plan), 1.051 * ideal_seconds(problem));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TopologyAware, testing::Values("nuco", "hwtopo"),
                         [](const auto& row) { return std::string(row.param); });

TEST(Communication, DistancesFollowThePlaces) {
  const Instance problem = cluster(1, 4, false);
  EXPECT_EQ(distance_between(problem, 3, 3), Distance::kSameWorker);
  EXPECT_EQ(distance_between(problem, 2, 3), Distance::kSameNuma);
  EXPECT_EQ(distance_between(problem, 1, 2), Distance::kSameHost);
  EXPECT_EQ(distance_between(problem, 3, 4), Distance::kOtherHost);
}

TEST(Communication, NeighboursSeeBothDirections) {
  Instance problem = instance({1, 1, 1}, 2);
  problem.edges = {{0, 1, 2, 10}, {1, 0, 1, 5}, {2, 2, 9, 9}};
  const Neighbours neighbours(problem);
  ASSERT_EQ(neighbours.of(0).size(), 2U);
  EXPECT_EQ(neighbours.of(0)[1].bytes, 5.0);
  EXPECT_EQ(neighbours.of(1).size(), 2U);
  EXPECT_TRUE(neighbours.of(2).empty());
}

}  // namespace
}  // namespace weft::lb
