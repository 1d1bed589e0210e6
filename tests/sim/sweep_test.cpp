// Settings, their replays on several threads, placements, what-if changes of platforms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/options.hpp"
#include "sim/generate.hpp"
#include "sim/platform_file.hpp"
#include "sim/sweep.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

const char* const kPlatform = R"({
  "weft_platform": 1,
  "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000},
             "hosts": [{"name": "node", "count": 2, "cores": 4, "processes": 2, "numa_nodes": 2}]}],
  "calibration": {"computing_spread": 0.02, "links_spread": 0.1}
})";

PlatformFile file() { return {kPlatform, "p.json"}; }

std::vector<Workload> uneven() {
  return {generate("stencil", {.extents = {8, 4, 1}, .iterations = 40, .imbalance = Imbalance::linear, .amount = 0.9})};
}

TEST(PlatformChange, NothingChangesNothing) {
  EXPECT_EQ(file().with({}).workers.size(), 8U);
  EXPECT_EQ(file().with({}).processes, 4U);
  EXPECT_EQ(file().with({}).uncertainty.links, 0.1);
}

TEST(PlatformChange, ShapesCountAllHosts) {
  const Platform platform = file().with({.hosts = 4, .processes = 4, .workers = 32});
  EXPECT_EQ(platform.hosts.size(), 4U);
  EXPECT_EQ(platform.workers.size(), 32U);
  EXPECT_EQ(platform.processes, 4U);
  EXPECT_EQ(file().with({.processes = 2, .workers = 2}).workers[1].host, 1U);
}

TEST(PlatformChange, FactorsAreThoseOfCoresAndOfLinksBetweenProcesses) {
  const Platform before = file().with({});
  const Platform after = file().with({.speed = 2.0, .latency = 3.0, .bandwidth = 4.0});
  EXPECT_EQ(after.workers[5].speed, 2.0);
  EXPECT_DOUBLE_EQ(after.within_site[0].latency, 60e-6);
  EXPECT_DOUBLE_EQ(after.within_site[0].per_byte, 0.25e-9);
  EXPECT_DOUBLE_EQ(after.near[3].latency, 3 * before.near[3].latency);
  EXPECT_EQ(after.near[1].latency, before.near[1].latency);
}

TEST(PlatformChange, AnyValueCanBeSet) {
  const Platform platform = file().with({.values = {"sites[0].hosts[0].speed=0.5", "switch_us=7", "sites[0].name=hall",
                                                    R"(hogs[+]={"host": "node1", "core": 2, "from_s": 1})"}});
  EXPECT_EQ(platform.workers[0].speed, 0.5);
  EXPECT_DOUBLE_EQ(platform.switch_cost, 7e-6);
  EXPECT_EQ(platform.sites[0], "hall");
  ASSERT_EQ(platform.interferences.size(), 1U);
  EXPECT_EQ(platform.interferences[0].worker, 6U);
}

std::string refusal(const PlatformFile& from, const PlatformChange& change) {
  try {
    static_cast<void>(from.with(change));
  } catch (const PlatformError& error) {
    return error.what();
  }
  return "";
}

TEST(PlatformChange, MistakesAreNamed) {
  EXPECT_EQ(refusal(file(), {.workers = 7}), "7 workers cannot be spread evenly over 2 hosts");
  EXPECT_NE(refusal(file(), {.values = {"speed"}}).find("expected KEY=VALUE"), std::string::npos);
  EXPECT_NE(refusal(file(), {.values = {"sites[0].hosts[0].sped=1"}}).find("sped: no such key"), std::string::npos);
  EXPECT_NE(refusal(file(), {.values = {"sites[x].name=1"}}).find("there is no place"), std::string::npos);
  EXPECT_NE(refusal(file(), {.values = {"sites[0].hosts[0].speed=fast"}}).find("expected a number"), std::string::npos);
  const PlatformFile example(WEFT_EXAMPLE_PLATFORM);
  EXPECT_NE(refusal(example, {.workers = 4}).find("hosts are alike"), std::string::npos);
  EXPECT_THROW(PlatformFile("/nowhere/p.json"), PlatformError);
}

TEST(Settings, AreAllCombinationsAndNoneIsThereOnce) {
  const std::vector<Setting> settings = settings_of({.strategies = {"none", "greedy", "refine"},
                                                     .whens = {"every:5", "auto"},
                                                     .models = {"last", "mean:0.5"},
                                                     .workers = {4, 8}},
                                                    1);
  ASSERT_EQ(settings.size(), 2U * (1 + 2 * 2 * 2));
  EXPECT_EQ(settings[0].balancing.strategy, "none");
  EXPECT_EQ(settings[1].balancing.strategy, "greedy");
  EXPECT_EQ(settings[1].balancing.when, "every:5");
  EXPECT_EQ(settings[2].balancing.model, "mean:0.5");
  EXPECT_EQ(settings[9].change.workers, 8U);
}

TEST(Sweep, OutcomesAreThoseOfSingleReplaysForAnyNumberOfThreads) {
  const std::vector<Workload> workloads = uneven();
  const PlatformFile platform = file();
  const std::vector<Setting> settings =
      settings_of({.strategies = {"none", "greedy", "refine"}, .whens = {"every:4", "every:10"}, .ratios = {4, 8}}, 1);
  std::size_t calls = 0;
  const SweepInput input{workloads, platform};
  const std::vector<Outcome> one = replay_all(input, settings, 1, [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++calls);
    EXPECT_EQ(all, settings.size());
  });
  EXPECT_EQ(calls, settings.size());
  const std::vector<Outcome> four = replay_all(input, settings, 4, ignore);
  for (std::size_t i = 0; i < settings.size(); ++i) {
    EXPECT_EQ(one[i].makespan, four[i].makespan) << i;
    EXPECT_EQ(one[i].moves, four[i].moves) << i;
    const Platform alone = platform.with({.workers = 32 / settings[i].ratio});
    EXPECT_EQ(one[i].makespan, replay(workloads[0], alone, {.balancing = settings[i].balancing}).makespan) << i;
    EXPECT_EQ(one[i].workers, 32 / settings[i].ratio);
    EXPECT_EQ(one[i].ranks, 32U);
  }
  EXPECT_LT(one[1].makespan, one[0].makespan);
  EXPECT_GT(one[1].steps, 0U);
  EXPECT_GT(one[0].imbalance, 1.2);
}

TEST(Sweep, TheFirstMistakeIsThrown) {
  const std::vector<Workload> workloads = uneven();
  const PlatformFile platform = file();
  const auto refused = [&](const SettingAxes& axes) {
    replay_all({workloads, platform}, settings_of(axes, 1), 2, ignore);
  };
  EXPECT_THROW(refused({.strategies = {"refyne"}}), base::OptionError);
  EXPECT_THROW(refused({.placements = {"sideways"}}), std::invalid_argument);
  EXPECT_THROW(refused({.networks = {"token-ring"}}), std::invalid_argument);
  EXPECT_THROW(refused({.ratios = {5}}), std::invalid_argument);
  EXPECT_THROW(refused({.workers = {7}}), PlatformError);
  EXPECT_THROW(refused({.placements = {"file:/nowhere"}}), std::invalid_argument);
}

TEST(Placement, RanksGoInTurnOrWhereAFileSays) {
  EXPECT_TRUE(homes_of("blocks", 4, 2).empty());
  EXPECT_EQ(homes_of("in-turn", 5, 2), (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
  const std::string name = testing::TempDir() + "homes";
  std::ofstream(name) << "1 0\n1\n";
  EXPECT_EQ(homes_of("file:" + name, 3, 2), (std::vector<std::uint32_t>{1, 0, 1}));
  EXPECT_THROW(homes_of("file:" + name, 3, 1), std::invalid_argument);
  EXPECT_THROW(homes_of("file:" + name, 4, 2), std::invalid_argument);
}

// Half of all factors lie within the uncertainty around 1; the same seed gives the same ones.
TEST(Perturbation, IsAsLargeAsTheUncertainty) {
  Workload workload;
  workload.streams.resize(20000);
  const Uncertainty uncertainty{.computing = 0.1};
  const Workload other = perturbed(workload, uncertainty, 7);
  const auto near =
      std::ranges::count_if(other.streams, [](const Stream& stream) { return std::abs(std::log(stream.scale)) < 0.1; });
  EXPECT_NEAR(static_cast<double>(near) / 20000, 0.5, 0.02);
  EXPECT_EQ(perturbed(workload, uncertainty, 7), other);
  EXPECT_NE(perturbed(workload, uncertainty, 8), other);
  EXPECT_EQ(perturbed(workload, {.computing = 0.0}, 7), workload);
}

TEST(Perturbation, SeedsChangeOutcomesALittle) {
  const std::vector<Workload> workloads = uneven();
  const PlatformFile platform = file();
  std::vector<Setting> settings(3);
  settings[1].seed = 1;
  settings[2].seed = 2;
  const std::vector<Outcome> outcomes = replay_all({workloads, platform}, settings, 2, ignore);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_NE(outcomes[i].makespan, outcomes[0].makespan);
    EXPECT_NEAR(outcomes[i].makespan, outcomes[0].makespan, 0.2 * outcomes[0].makespan);
  }
  EXPECT_NE(outcomes[1].makespan, outcomes[2].makespan);
}

}  // namespace
}  // namespace weft::sim::test
