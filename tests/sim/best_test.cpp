// The search for the best setting.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/best.hpp"
#include "sim/generate.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

PlatformFile one_host(const std::string& more = "") {
  return {R"({"weft_platform": 1, "sites": [{"hosts": [{"name": "node", "cores": 4}]}])" + more + "}", "p.json"};
}

std::vector<Workload> stencil(Imbalance imbalance) {
  return {generate("stencil", {.extents = {8, 4, 1}, .iterations = 60, .imbalance = imbalance, .amount = 0.9})};
}

TEST(Best, GainsWhereRanksDifferAndSaysTheLine) {
  const std::vector<Workload> workloads = stencil(Imbalance::linear);
  const PlatformFile platform = one_host();
  std::size_t last = 0;
  const SearchResult result = find_best({workloads, platform}, {.budget = 80, .seeds = 3, .threads = 2},
                                        [&](std::size_t done, std::size_t all) {
                                          EXPECT_EQ(done, ++last);
                                          EXPECT_EQ(all, 80U);
                                        });
  EXPECT_EQ(result.replays, last);
  EXPECT_LE(result.replays, 80U);
  EXPECT_EQ(result.unbalanced.setting.balancing.strategy, "none");
  const Estimate& best = result.finalists.front();
  EXPECT_NE(best.setting.balancing.strategy, "none");
  EXPECT_LT(best.makespan.value, 0.75 * result.unbalanced.makespan.value);
  EXPECT_GT(best.makespan.spread, 0.0);
  EXPECT_LT(best.makespan.spread, 0.05 * best.makespan.value);
  // The reported outcome of the best setting is that of a replay of it.
  const Outcome again = replay_all({workloads, platform}, std::span(&best.setting, 1), 1, ignore).front();
  EXPECT_EQ(again.makespan, best.outcome.makespan);
  const std::string line = weftrun_options(best.setting, platform.with({}), best.outcome.ranks);
  EXPECT_EQ(line.find("-n 32 --workers 4 --lb " + best.setting.balancing.strategy), 0U) << line;
}

TEST(Best, WithoutAnythingToGainItIsNotToBalance) {
  const std::vector<Workload> workloads = stencil(Imbalance::even);
  const PlatformFile platform = one_host(R"(, "calibration": {"computing_spread": 0.001})");
  const SearchResult result = find_best({workloads, platform}, {.budget = 60, .seeds = 3, .threads = 2}, ignore);
  EXPECT_EQ(result.finalists.front().setting.balancing.strategy, "none");
  EXPECT_EQ(weftrun_options(result.finalists.front().setting, platform.with({}), 32), "-n 32 --workers 4");
}

TEST(Best, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Workload> workloads = stencil(Imbalance::random);
  const PlatformFile platform = one_host();
  const SearchResult one = find_best({workloads, platform}, {.budget = 60, .seeds = 2, .threads = 1}, ignore);
  const SearchResult three = find_best({workloads, platform}, {.budget = 60, .seeds = 2, .threads = 3}, ignore);
  ASSERT_EQ(one.finalists.size(), three.finalists.size());
  for (std::size_t i = 0; i < one.finalists.size(); ++i) {
    EXPECT_EQ(one.finalists[i].makespan.value, three.finalists[i].makespan.value);
    EXPECT_EQ(one.finalists[i].setting.balancing.when, three.finalists[i].setting.balancing.when);
  }
}

TEST(Best, RefusesWhatCannotBeSearched) {
  const PlatformFile platform = one_host();
  const std::vector<Workload> still = {make_workload(2, [](std::uint32_t, TemplateBuilder& b) { b.compute(1); })};
  EXPECT_THROW(find_best({still, platform}, {}, ignore), std::invalid_argument);
  EXPECT_THROW(find_best({stencil(Imbalance::even), platform}, {.budget = 10}, ignore), std::invalid_argument);
}

TEST(WeftrunOptions, NameHostsProcessesAndBalancing) {
  Setting setting;
  setting.balancing = {.strategy = "hierarchical:hwtopo/refine", .when = "every:20", .model = "mean:0.3"};
  const PlatformFile two(R"({"weft_platform": 1, "sites": [{"link": {"overhead_us": 1, "latency_us": 1,
      "bandwidth_mb_per_s": 1}, "hosts": [{"name": "a", "count": 2, "cores": 4, "processes": 2}]}]})",
                         "p.json");
  EXPECT_EQ(weftrun_options(setting, two.with({}), 64),
            "-n 64 --workers 8 --hosts a0:2,a1:2 --lb hierarchical:hwtopo/refine --lb-when every:20 --lb-model "
            "mean:0.3");
  setting.balancing = {.strategy = "greedy"};
  EXPECT_EQ(weftrun_options(setting, one_host().with({.processes = 2}), 8),
            "-n 8 --workers 4 --processes 2 --lb greedy");
}

TEST(MigrateCalls, AreCountedWithLoopsWrittenOut) {
  const Workload workload = make_workload(3, [](std::uint32_t rank, TemplateBuilder& b) {
    b.loop(rank + 1).loop(5).compute(1).migrate(0).end_loop().end_loop().migrate(0);
  });
  EXPECT_EQ(migrate_calls(workload), 16U);
}

}  // namespace
}  // namespace weft::sim::test
