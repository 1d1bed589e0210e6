// Level 1: trends, values from recordings, and runs that follow the model exactly.
#include "predict/weft_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "predict/computing_model.hpp"
#include "predict/trend.hpp"
#include "runs.hpp"

namespace weft::predict {
namespace {

using test::cores_of;
using test::observed;

TEST(Trend, EachFormIsFoundAgain) {
  const std::array ranks{2.0, 4.0, 8.0, 16.0, 64.0};
  for (const TrendForm& form : trend_forms()) {
    std::vector<double> values;
    for (const double n : ranks) {
      values.push_back(7.0 + 3.0 * form.at(n));
    }
    const Trend trend(ranks, values);
    EXPECT_EQ(trend.form(), form.name);
    EXPECT_NEAR(trend.at(256.0), 7.0 + 3.0 * form.at(256.0), 1e-6) << form.name;
  }
}

TEST(Trend, TwoSizesMakeAConstantOfTheNearest) {
  const Trend trend(std::array{2.0, 4.0}, std::array{1.0, 3.0});
  EXPECT_EQ(trend.form(), "1");
  EXPECT_DOUBLE_EQ(trend.at(64.0), 3.0);
  EXPECT_DOUBLE_EQ(trend.at(1.0), 1.0);
}

TEST(Trend, PassesThroughTheMeanOfEachSize) {
  const std::array ranks{2.0, 4.0, 4.0, 8.0, 16.0};
  const Trend trend(ranks, std::array{10.0, 21.0, 23.0, 37.0, 90.0});
  EXPECT_DOUBLE_EQ(trend.at(2.0), 10.0);
  EXPECT_DOUBLE_EQ(trend.at(4.0), 22.0);
  EXPECT_DOUBLE_EQ(trend.at(16.0), 90.0);
  EXPECT_EQ(Trend().at(4.0), 0.0);
}

TEST(Trend, DoesNotFallBelowHalfOfWhatWasSeen) {
  const Trend trend(std::array{1.0, 2.0, 3.0, 4.0}, std::array{40.0, 30.0, 20.0, 10.0});
  EXPECT_EQ(trend.form(), "n");
  EXPECT_DOUBLE_EQ(trend.at(100.0), 5.0);
}

TEST(WeftModel, ImbalanceOfRanksInBlocks) {
  const std::array computing{1.0, 1.0, 1.0, 5.0};
  EXPECT_DOUBLE_EQ(imbalance_of_blocks(computing, 1), 1.0);
  EXPECT_DOUBLE_EQ(imbalance_of_blocks(computing, 2), 6.0 * 2 / 8);
  EXPECT_DOUBLE_EQ(imbalance_of_blocks(computing, 4), 5.0 * 4 / 8);
  EXPECT_DOUBLE_EQ(imbalance_of_blocks(computing, 8), 2.5 * 8 / 8);
  // Thirds: the last one has two thirds of a rank more than its own: 5 + 1/3.
  EXPECT_NEAR(imbalance_of_blocks(computing, 3), (5.0 + 1.0 / 3) * 3 / 8, 1e-12);
  EXPECT_DOUBLE_EQ(imbalance_of_blocks({}, 3), 1.0);
}

TEST(WeftModel, RemoteMessagesAreThoseBetweenBlocks) {
  Profile profile{.ranks = 4, .messages = 9};
  profile.traffic = {{.from = 0, .to = 1, .messages = 4, .bytes = 40},
                     {.from = 1, .to = 2, .messages = 5, .bytes = 60}};
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 1).messages, 0.0);
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 2).messages, 5.0);
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 2).bytes, 60.0);
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 4).messages, 9.0);
  // An allreduce of 8 bytes: each of two nodes sends once.
  profile.collective_calls = {
      {.kind = sim::CollectiveKind::allreduce, .members = {0, 1, 2, 3}, .calls = 4, .bytes = 32}};
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 2).messages, 7.0);
  EXPECT_DOUBLE_EQ(share_between_nodes(profile, 2).bytes, 76.0);
}

// Two sizes on two machines: the second one needs a fifth more CPU time, as its ranks do on two cores.
TEST(ComputingModel, FindsTheTrendAndTheFactorsOfMachines) {
  std::vector<Observation> runs;
  for (const std::uint32_t ranks : {2U, 4U, 8U}) {
    for (const bool is_slow : {false, true}) {
      runs.push_back(observed(ranks, 1, (10.0 + ranks) * (is_slow ? 1.2 : 1.0)));
      runs.back().where.machine.name = is_slow ? "slow" : "fast";
    }
  }
  const ComputingModel model(runs);
  for (const Observation& run : runs) {
    EXPECT_NEAR(model.at(run.where), run.profile.computing(), 0.01 * run.profile.computing());
  }
  Configuration unknown = cores_of(1, 4);
  EXPECT_NEAR(model.at(unknown), 14.0 * std::sqrt(1.2), 0.3);
  unknown.machine.speed = 2.0;
  EXPECT_NEAR(model.at(unknown), 7.0 * std::sqrt(1.2), 0.15);
}

TEST(ComputingModel, CoresThatSlowEachOther) {
  const std::vector<Observation> runs{observed(1, 1, 10.0), observed(4, 1, 10.0), observed(4, 4, 12.0 / 4 * 1.0),
                                      observed(16, 1, 10.0), observed(16, 16, 14.4 / 16)};
  const ComputingModel model(runs);
  EXPECT_GT(model.growth(), 0.1);
  EXPECT_NEAR(model.at(cores_of(16, 16)) / model.at(cores_of(1, 16)), 1.44, 0.05);
}

// Runs on two hosts take half as long again as the model of the others says.
TEST(WeftModel, CorrectsMachinesWithAProfile) {
  std::vector<Observation> runs{observed(2, 2, 4.0), observed(4, 2, 4.0), observed(8, 2, 4.0)};
  for (const std::uint32_t ranks : {2U, 4U}) {
    runs.push_back(observed(ranks, 2, 4.0));
    runs.back().profile.time = 6.0;
    runs.back().where.machine.name = "odd";
  }
  const WeftModel model(runs);
  Configuration where = cores_of(2, 8);
  const double usual = model.time(where);
  where.machine.name = "odd";
  EXPECT_GT(model.time(where), 1.15 * usual);
}

// Work of 8 core seconds is divided among the cores; ten messages cost next to nothing.
TEST(WeftModel, WorkThatIsDividedIsPredictedWhereverItWasNotRecorded) {
  const std::vector<Observation> runs{observed(1, 1, 8.0), observed(2, 2, 4.0), observed(4, 2, 4.0),
                                      observed(8, 4, 2.0)};
  const WeftModel model(runs);
  for (const Observation& run : runs) {
    EXPECT_NEAR(model.time(run.where), run.profile.time, 0.02 * run.profile.time);
  }
  EXPECT_NEAR(model.time(cores_of(8, 8)), 1.0, 0.08);
  EXPECT_NEAR(model.time(cores_of(1, 8)), 8.0, 0.2);
  EXPECT_NEAR(model.time(cores_of(1, 8, 2.0)), 4.0, 0.1);
}

TEST(WeftModel, SlowerNetworksTakeLonger) {
  std::vector<Observation> runs{observed(1, 1, 8.0), observed(2, 2, 4.0), observed(4, 2, 4.0)};
  for (Observation& run : runs) {
    for (std::uint32_t rank = 0; rank + 1 < run.where.ranks; ++rank) {
      run.profile.traffic.push_back({.from = rank, .to = rank + 1, .messages = 20, .bytes = 1000});
    }
  }
  const WeftModel model(runs);
  Configuration two{.machine = {.name = "there", .cores = 2}, .instances = 2, .ranks = 4};
  const double fast = model.time(two);
  two.machine.network.latency = 0.1;
  const double late = model.time(two);
  two.machine.network.seconds_per_byte = 1e-3;
  EXPECT_GT(late, fast + 0.1);
  EXPECT_GT(model.time(two), late + 0.1);
}

}  // namespace
}  // namespace weft::predict
