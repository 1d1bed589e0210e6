// Balancing steps in simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/options.hpp"
#include "sim/generate.hpp"
#include "sim/platform_file.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

// Each rank computes its scale in seconds between two calls.
Workload supersteps(const std::vector<double>& scales, std::uint64_t iterations, std::uint64_t bytes = 0) {
  Workload workload;
  TemplateBuilder builder(workload);
  builder.loop(iterations).compute(1).migrate(bytes).end_loop().finish();
  for (const double scale : scales) {
    workload.streams.push_back({.scale = scale});
  }
  return workload;
}

Platform with_costs(Platform platform) {
  platform.step_cost = 0.5;
  platform.move_cost = 0.25;
  return platform;
}

TEST(Balancing, AStepCostsAndThenTheLoadIsEven) {
  const ReplayResult result = replay(supersteps({3, 3, 1, 1}, 3), with_costs(free_memory(2)),
                                     {.balancing = {.strategy = "greedy", .when = "every:2"}});
  ASSERT_EQ(result.steps.size(), 1U);
  EXPECT_EQ(result.steps[0].call, 2U);
  EXPECT_EQ(result.steps[0].at, 12);
  EXPECT_EQ(result.steps[0].moves, 2U);
  EXPECT_EQ(result.steps[0].bytes, 0U);
  EXPECT_EQ(result.steps[0].before, 12);
  EXPECT_EQ(result.steps[0].after, 8);
  EXPECT_EQ(result.steps[0].seconds, 1);  // each worker gives one rank and takes one
  EXPECT_EQ(result.makespan, 12 + 1 + 4);
  EXPECT_EQ(result.busy, (std::vector<Seconds>{16, 8}));
}

TEST(Balancing, BytesGoThroughTheNetwork) {
  Platform platform = with_costs(hosts_of_one_core(2));
  platform.switch_cost = 0.0;
  for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports}) {
    const ReplayResult result =
        replay(supersteps({1, 1}, 3, 1'000'000'000), platform,
               {.network = network, .homes = {0, 0}, .balancing = {.strategy = "greedy", .when = "every:2"}});
    ASSERT_EQ(result.steps.size(), 1U);
    EXPECT_EQ(result.steps[0].bytes, 1'000'000'000U);
    EXPECT_NEAR(result.steps[0].seconds, 0.5 + 0.25 + kLink.latency + 1, 1e-9);
    EXPECT_NEAR(result.makespan, 4 + result.steps[0].seconds + 1, 1e-9);
  }
}

// Two ranks leave one host: their bytes follow each other through its port.
TEST(Balancing, MovesQueueForPorts) {
  const Workload workload = supersteps({1, 1, 1}, 2, 1'000'000'000);
  const auto seconds = [&](NetworkModel network) {
    return replay(workload, hosts_of_one_core(3),
                  {.network = network, .homes = {0, 0, 0}, .balancing = {.strategy = "greedy", .when = "every:1"}})
        .steps.at(0)
        .seconds;
  };
  EXPECT_NEAR(seconds(NetworkModel::loggp), 1, 0.01);
  EXPECT_NEAR(seconds(NetworkModel::ports), 2, 0.01);
}

TEST(Balancing, WithoutAStrategyThereAreNoSteps) {
  const ReplayResult result = replay(supersteps({3, 3, 1, 1}, 3), with_costs(free_memory(2)));
  EXPECT_TRUE(result.steps.empty());
  EXPECT_EQ(result.makespan, 18);
}

TEST(Balancing, AHogIsSeen) {
  Platform platform = free_memory(2);
  platform.interferences = {{.worker = 0, .from = 0, .until = 1e9, .threads = 1}};
  const Workload workload = supersteps(std::vector<double>(12, 1.0), 20);
  const Seconds without = replay(workload, platform).makespan;
  EXPECT_NEAR(without, 20 * 12, 1e-6);
  const Seconds with =
      replay(workload, platform, {.balancing = {.strategy = "background", .when = "every:2"}}).makespan;
  EXPECT_LT(with, 20 * 9.0);  // ideal: 8 ranks where nobody else is
}

// As in the runtime: lost time that no other thread had is not background but lowers the worker's speed.
TEST(Balancing, AQuotaIsASpeed) {
  Platform platform = free_memory(2);
  platform.step_cost = platform.move_cost = 0.0;
  platform.interferences = {{.worker = 0, .from = 0, .until = 1e9, .quota = 0.5}};
  const ReplayResult result = replay(supersteps(std::vector<double>(12, 1.0), 20), platform,
                                     {.balancing = {.strategy = "greedy", .when = "every:2"}});
  EXPECT_NEAR(result.makespan, 2 * 12 + 18 * 8, 1e-6);  // 4 ranks there and 8 here, from the first step on
}

TEST(Balancing, ListedLoadsGoBeforeMeasuredOnes) {
  Workload workload;
  TemplateBuilder builder(workload);
  builder.loop(2).compute(1).migrate(0, kMayMove | kLoadListed).end_loop().finish();
  workload.values = {9, 9, 1, 1, 1, 1, 1, 1};
  for (std::uint64_t rank = 0; rank < 4; ++rank) {
    workload.streams.push_back({.values = 2, .first_value = 2 * rank});
  }
  const ReplayResult result =
      replay(workload, free_memory(2), {.balancing = {.strategy = "greedy", .when = "every:1"}});
  EXPECT_EQ(result.steps.at(0).before, 10);
  EXPECT_EQ(result.steps.at(0).after, 9);
  EXPECT_EQ(result.steps.at(1).before, 9);
}

// Where the platform says so, the decider knows what a move costs before the first one.
TEST(Balancing, KnownCostsKeepRanksHome) {
  Platform platform = hosts_of_one_core(2);
  platform.workers[1].speed = 2.0;
  platform.move_cost = 50.0;
  const auto moves = [&](bool known) {
    platform.move_cost_known = known;
    const ReplayResult result = replay(supersteps({1, 1}, 4), platform,
                                       {.homes = {0, 0}, .balancing = {.strategy = "migbsp", .when = "every:2"}});
    return result.steps.at(0).migrations.size();
  };
  EXPECT_EQ(moves(false), 1U);
  EXPECT_EQ(moves(true), 0U);
}

// Righi 2009, table 5.3 (25 processes, alpha 4): those on the slow cluster move to the fast one, one at each call.
TEST(Balancing, MigbspMovesWhatTheThesisMoves) {
  const Platform platform = read_platform(WEFT_THESIS_PLATFORM);
  const Workload workload = generate(
      "lbm", {.extents = {25, 1, 1}, .iterations = 130, .work = 0.4, .bytes = 100'000, .rank_bytes = 1'361'000});
  const ReplayResult result =
      replay(workload, platform,
             {.homes = round_robin_homes(25, static_cast<std::uint32_t>(platform.workers.size())),
              .balancing = {.strategy = "migbsp:one,thesis", .when = "migbsp:4"}});
  constexpr std::uint32_t kAquario = 20 + 16 + 6 + 112;  // its first worker
  ASSERT_EQ(result.steps.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(result.steps[i].call, std::vector<std::uint64_t>({4, 12, 28, 60, 124})[i]);
    ASSERT_EQ(result.steps[i].migrations.size(), 1U);
    EXPECT_EQ(result.steps[i].migrations[0].rank, 20 + i);
    EXPECT_EQ(result.steps[i].migrations[0].to, kAquario + i);
  }
}

TEST(Balancing, RanksThatMayNotMoveStay) {
  Workload workload = supersteps({3, 3, 1, 1}, 3);
  for (Action& action : workload.actions) {
    action.detail = 0;
  }
  const ReplayResult result =
      replay(workload, free_memory(2), {.balancing = {.strategy = "greedy", .when = "every:1"}});
  for (const StepReport& step : result.steps) {
    EXPECT_EQ(step.moves, 0U);
  }
}

TEST(Balancing, RanksThatHaveEndedAreNotWaitedFor) {
  Workload workload = supersteps({1, 1, 1, 1}, 4);
  TemplateBuilder builder(workload);
  builder.compute(1).migrate(0);
  workload.streams[3].pattern = builder.finish();
  const ReplayResult result =
      replay(workload, free_memory(2), {.balancing = {.strategy = "greedy", .when = "every:1"}});
  EXPECT_EQ(result.steps.size(), 4U);
}

TEST(Balancing, IterationsSumUpToWhatWorkersDid) {
  const ReplayResult result = replay(supersteps({3, 3, 1, 1}, 3), free_memory(2),
                                     {.balancing = {.strategy = "greedy", .when = "every:2"}, .keep_iterations = true});
  EXPECT_EQ(result.iterations, (std::vector<std::vector<float>>{{6, 2}, {6, 2}, {4, 4}}));
}

// Moves do not change what ranks do, with messages in flight, queues and collective calls.
class Strategies : public testing::TestWithParam<std::string> {};
std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const lb::StrategyInfo& info : lb::strategies()) {
    all.emplace_back(info.name);
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Strategies, testing::ValuesIn(names()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(Strategies, MoveRanksOfAStencil) {
  const Workload workload = generate(
      "stencil", {.extents = {6, 5, 2}, .iterations = 24, .work = 1e-3, .imbalance = Imbalance::linear, .amount = 0.8});
  const Platform platform = make_platform({.hosts = 3, .processes = 2, .cores = 4});
  for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports}) {
    for (const char* when : {"every:3", "auto", "migbsp:2"}) {
      const ReplayOptions options{.network = network, .balancing = {.strategy = GetParam(), .when = when}};
      const ReplayResult first = replay(workload, platform, options);
      EXPECT_EQ(first.actions, expanded_actions(workload));
      const double work = std::accumulate(first.busy.begin(), first.busy.end(), 0.0);
      EXPECT_GE(work, 24 * 60 * 1e-3);
      EXPECT_LE(work, 24 * 60 * 1e-3 * 1.1);
      EXPECT_EQ(first.ended, replay(workload, platform, options).ended);
      EXPECT_EQ(first.steps.empty(), GetParam() == "none");
    }
  }
}

TEST(Balancing, NamesThatDoNotExistAreRefused) {
  const Workload workload = supersteps({1}, 1);
  EXPECT_THROW(replay(workload, free_memory(1), {.balancing = {.strategy = "gredy"}}), base::OptionError);
  EXPECT_THROW(replay(workload, free_memory(1), {.balancing = {.strategy = "refine", .when = "evry"}}),
               base::OptionError);
}

}  // namespace
}  // namespace weft::sim::test
