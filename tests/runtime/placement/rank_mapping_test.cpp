#include "runtime/placement/rank_mapping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/placement/map_text.hpp"
#include "tests/runtime/placement/hosts_text.hpp"

namespace weft::placement {
namespace {

// The worker of each rank: "0 0 1". `hosts`: of each process.
struct Asked {
  std::string map_by = "slot";
  std::string rank_by;
  std::vector<std::uint32_t> workers;
  std::vector<std::uint32_t> hosts;
  std::uint32_t ranks = 1;
  std::uint32_t in_turn = 0;
};

MappingPolicy policy_of(const Asked& asked) {
  MappingPolicy policy;
  read_map_by(asked.map_by, policy);
  read_rank_by(asked.rank_by, policy);
  if (asked.in_turn != 0) {
    policy.map = Unit::node;
    policy.in_turn = asked.in_turn;
  }
  return policy;
}

std::string placed(const Asked& asked) {
  std::string text;
  for (const std::uint32_t worker : place_ranks(policy_of(asked), {asked.workers, asked.hosts}, asked.ranks)) {
    text += (text.empty() ? "" : " ") + std::to_string(worker);
  }
  return text;
}

std::string mapping_error(const Asked& asked) {
  return test::error_of([&] { placed(asked); });
}

TEST(RankMapping, GoesInBlocksBySlot) {
  for (const char* const unit : {"slot", "core", "HWTHREAD", ""}) {
    EXPECT_EQ(placed({.map_by = unit, .rank_by = "", .workers = {2, 2}, .hosts = {0, 1}, .ranks = 4}), "0 1 2 3");
  }
  EXPECT_EQ(placed({.rank_by = "", .workers = {2, 2}, .hosts = {0, 1}, .ranks = 8}), "0 0 1 1 2 2 3 3");
  EXPECT_EQ(placed({.rank_by = "", .workers = {3}, .hosts = {}, .ranks = 7}), "0 0 1 1 2 2 2");
  EXPECT_EQ(placed({.rank_by = "", .workers = {1, 1, 2}, .hosts = {0, 0, 1}, .ranks = 3}), "0 1 3");
}

TEST(RankMapping, DealsToNodesProcessesAndWorkers) {
  EXPECT_EQ(placed({.map_by = "node", .rank_by = "", .workers = {4, 4}, .hosts = {0, 1}, .ranks = 4}), "1 5 3 7");
  EXPECT_EQ(placed({.map_by = "node", .rank_by = "", .workers = {1, 3}, .hosts = {0, 1}, .ranks = 4}), "0 1 2 3");
  EXPECT_EQ(placed({.map_by = "node", .rank_by = "", .workers = {1, 3}, .hosts = {0, 1}, .ranks = 8}),
            "0 1 0 2 0 3 0 3");
  EXPECT_EQ(placed({.map_by = "node", .rank_by = "", .workers = {1, 1, 1}, .hosts = {0, 1, 0}, .ranks = 3}), "0 1 2");
  EXPECT_EQ(placed({.map_by = "process", .rank_by = "", .workers = {2, 2}, .hosts = {0, 0}, .ranks = 4}), "0 2 1 3");
  EXPECT_EQ(placed({.map_by = "worker", .rank_by = "", .workers = {2, 1}, .hosts = {0, 1}, .ranks = 5}), "0 1 2 0 1");
}

TEST(RankMapping, GivesEachUnitSoMany) {
  const Asked two{.map_by = "ppr:2:node", .rank_by = "", .workers = {4, 4}, .hosts = {0, 1}, .ranks = 3};
  EXPECT_EQ(placed(two), "1 3 7");
  EXPECT_EQ(full_ranks(policy_of(two), {two.workers, two.hosts}), 4U);
  EXPECT_EQ(placed({.map_by = "ppr:1:process", .rank_by = "", .workers = {2, 2}, .hosts = {0, 0}, .ranks = 2}), "1 3");
  EXPECT_EQ(placed({.map_by = "ppr:3:core", .rank_by = "", .workers = {2}, .hosts = {}, .ranks = 6}), "0 0 0 1 1 1");
  EXPECT_EQ(mapping_error({.map_by = "ppr:2:node", .rank_by = "", .workers = {4, 4}, .hosts = {0, 1}, .ranks = 5}),
            "5 ranks do not fit: 2 on each node are 4");
}

TEST(RankMapping, GivesNodesSomeInTurn) {
  EXPECT_EQ(placed({.rank_by = "", .workers = {2, 2}, .hosts = {0, 1}, .ranks = 8, .in_turn = 2}), "0 0 2 2 1 1 3 3");
  EXPECT_EQ(placed({.rank_by = "", .workers = {1, 1, 1}, .hosts = {0, 1, 2}, .ranks = 5, .in_turn = 2}), "0 0 1 1 2");
}

TEST(RankMapping, KeepsProcessesAndFillsTheirWorkersInBlocks) {
  using testing::ElementsAre;
  EXPECT_THAT(place_in_processes({1, 0, 1, 1, 1, 0}, {.workers = {1, 2, 3}, .hosts = {}}),
              ElementsAre(1, 0, 1, 2, 2, 0));
  EXPECT_THAT(place_in_processes({1}, {.workers = {2, 2}, .hosts = {}}), ElementsAre(2));
  EXPECT_THROW(place_in_processes({2}, {.workers = {2, 2}, .hosts = {}}), std::out_of_range);
}

TEST(RankMapping, NumbersApartFromPlaces) {
  EXPECT_EQ(placed({.map_by = "node", .rank_by = "slot", .workers = {2, 2}, .hosts = {0, 1}, .ranks = 4}), "0 1 2 3");
  EXPECT_EQ(placed({.rank_by = "node", .workers = {2, 2}, .hosts = {0, 1}, .ranks = 4}), "0 2 1 3");
  EXPECT_EQ(placed({.rank_by = "node", .workers = {1, 3}, .hosts = {0, 1}, .ranks = 4}), "0 1 2 3");
  EXPECT_EQ(placed({.rank_by = "worker", .workers = {2}, .hosts = {}, .ranks = 4}), "0 1 0 1");
}

TEST(RankMapping, RefusesWhatItDoesNotKnow) {
  for (const char* const unit : {"socket", "numa", "l3cache", "seq", "dist:mlx5", "rankfile:file=x", "board"}) {
    EXPECT_THAT(mapping_error({.map_by = unit, .rank_by = "", .workers = {1}, .hosts = {}}),
                testing::HasSubstr("use slot, node, process or worker"))
        << unit;
    EXPECT_THAT(mapping_error({.rank_by = unit, .workers = {1}, .hosts = {}}),
                testing::HasSubstr("use slot, node, process or worker"))
        << unit;
  }
  EXPECT_THAT(mapping_error({.map_by = "node:PE=2", .rank_by = "", .workers = {1}, .hosts = {}}),
              testing::HasSubstr("PE=N"));
  EXPECT_THAT(mapping_error({.map_by = "node:span", .rank_by = "", .workers = {1}, .hosts = {}}),
              testing::HasSubstr("'span' is not known"));
  for (const char* const wrong :
       {"ppr", "ppr:2", "ppr:0:node", "ppr:x:node", "ppr:2x:node", "ppr:1:socket", "ppr:4294967295:node"}) {
    EXPECT_THAT(mapping_error({.map_by = wrong, .rank_by = "", .workers = {1}, .hosts = {}}),
                testing::HasSubstr("expected ppr:N:node"))
        << wrong;
  }
  EXPECT_THAT(mapping_error({.map_by = ":nooversubscribe", .rank_by = "", .workers = {2}, .hosts = {}, .ranks = 3}),
              testing::HasSubstr("3 ranks are more than the 2 workers"));
  EXPECT_EQ(placed({.map_by = "slot:oversubscribe", .rank_by = "", .workers = {1}, .hosts = {}, .ranks = 2}), "0 0");
}

TEST(RankMapping, IsShownAsATable) {
  EXPECT_EQ(map_text({{1, 2}, {0, 1}}, std::vector<std::uint32_t>{0, 1, 0, 0}, {"a", "long"}, {"0", "2-3"}),
            "host  process  worker  cores  ranks\n"
            "a     0        0       0      0,2-3\n"
            "long  1        1       2-3    1\n"
            "long  1        2       -      -\n");
}

}  // namespace
}  // namespace weft::placement
