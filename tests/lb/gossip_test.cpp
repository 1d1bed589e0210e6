#include "lb/gossip.hpp"

#include <gtest/gtest.h>

#include <set>

#include "lb/loads.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

TEST(Gossip, ComesNearTheAverageWithoutAnyoneKnowingAll) {
  for (const std::uint32_t workers : {2U, 8U, 64U, 300U}) {
    const Instance problem = random_instance(workers, workers * 40, workers);
    EXPECT_LE(longest_seconds(problem, Gossip().solve(problem)), 1.15 * ideal_seconds(problem)) << workers;
  }
}

TEST(Gossip, MovesOnlyWhatIsTooMuch) {
  Instance problem = instance(std::vector<double>(400, 1.0), 8);
  for (std::uint32_t i = 0; i < 40; ++i) {
    problem.ranks[i].home = WorkerId{0};
  }
  const auto moves = moves_of(problem, Gossip().solve(problem)).ranks;
  EXPECT_GE(moves, 30U);
  EXPECT_LE(moves, 45U);
}

TEST(Gossip, NeverTellsItselfAndTellsEveryoneInTime) {
  std::set<std::uint32_t> receivers;
  for (std::uint32_t round = 0; round < 100; ++round) {
    for (const std::uint32_t peer : gossip_peers({1, round}, 3, 5, 2)) {
      EXPECT_NE(peer, 3U);
      receivers.insert(peer);
    }
  }
  EXPECT_EQ(receivers.size(), 4U);
  EXPECT_TRUE(gossip_peers({1, 0}, 0, 1, 2).empty());
}

TEST(Gossip, WhatAWorkerKnowsAlreadyIsNotPassedOn) {
  GossipNode node{0, {{2, 1.0}}};
  const std::vector<GossipNode::Known> received = {{1, 3.0}, {2, 1.0}};
  EXPECT_TRUE(merge(node, received));
  EXPECT_FALSE(merge(node, received));
  ASSERT_EQ(node.known.size(), 2U);
  EXPECT_EQ(node.known[0].node, 1U);
}

TEST(Gossip, GivesOnlyWhatFits) {
  RanksByWork ranks;
  for (std::uint32_t i = 0; i < 10; ++i) {
    ranks.add(i == 0 ? 5.0 : 1.0, i);
  }
  ranks.sort();
  const GossipNode node{0, {{1, 2.5}, {2, 1.0}}};
  double given = 0.0;
  for (const Transfer& transfer : choose_transfers(node, ranks, 9.0, {})) {
    EXPECT_NE(transfer.rank, 0U);
    given += 1.0;
  }
  EXPECT_GE(given, 1.0);
  EXPECT_LE(given, 3.0);
  EXPECT_TRUE(choose_transfers(GossipNode{0, {}}, ranks, 9.0, {}).empty());
}

}  // namespace
}  // namespace weft::lb
