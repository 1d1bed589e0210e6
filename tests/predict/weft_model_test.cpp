// Level 1: trends, values from recordings, and runs that follow the model exactly.
#include "predict/weft_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

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

TEST(Trend, TwoSizesMakeAConstant) {
  const Trend trend(std::array{2.0, 4.0}, std::array{1.0, 3.0});
  EXPECT_EQ(trend.form(), "1");
  EXPECT_DOUBLE_EQ(trend.at(64.0), 2.0);
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
  Profile profile{.ranks = 4, .messages = 8};
  profile.traffic = {{.from = 0, .to = 1, .messages = 4}, {.from = 1, .to = 2, .messages = 4}};
  EXPECT_DOUBLE_EQ(remote_part(profile, 1), 0.0);
  EXPECT_DOUBLE_EQ(remote_part(profile, 2), 0.5);
  EXPECT_DOUBLE_EQ(remote_part(profile, 4), 1.0);
  profile.collective_messages = 8.0;  // half of these
  EXPECT_DOUBLE_EQ(remote_part(profile, 2), 0.5);
  EXPECT_DOUBLE_EQ(remote_part(Profile{.ranks = 4}, 2), 0.0);
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
