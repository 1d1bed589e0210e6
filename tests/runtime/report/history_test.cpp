#include "runtime/report/history.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace weft::report {
namespace {

TEST(History, SaysHowUnevenAWindowWas) {
  const StepRecord step = uneven_step(0, 1, 3);
  EXPECT_DOUBLE_EQ(step.longest(), 3);
  EXPECT_DOUBLE_EQ(step.mean(), 2);
  EXPECT_DOUBLE_EQ(step.imbalance(), 1.5);
  EXPECT_DOUBLE_EQ(step.planned_imbalance(), 1);
}

TEST(History, BackgroundCountsWhereRanksAre) {
  StepRecord step = uneven_step(0, 1, 3);
  step.workers[0].contended = 5;
  EXPECT_DOUBLE_EQ(step.longest(), 6);
  step.workers[0].load = 0;
  EXPECT_DOUBLE_EQ(step.longest(), 3) << "nobody waits for a worker without ranks";
}

TEST(History, AddsUp) {
  const Totals totals = one_move().totals();
  EXPECT_EQ(totals.steps, 2U);
  EXPECT_EQ(totals.moves, 1U);
  EXPECT_EQ(totals.crossings, 1U);
  EXPECT_EQ(totals.bytes, std::uint64_t{3} << 20);
  EXPECT_DOUBLE_EQ(totals.cost, 0.375);
  EXPECT_DOUBLE_EQ(totals.first_imbalance, 1.5);
  EXPECT_DOUBLE_EQ(totals.later_imbalance, 1);
  EXPECT_DOUBLE_EQ(totals.gain, 1) << "of the second interval: 3 s had nobody moved, and it was 2 s";
}

TEST(History, ALongOneIsJoined) {
  constexpr std::size_t kSamples = 16;
  History history(kSamples);
  for (int i = 0; i < 1000; ++i) {
    StepRecord step = uneven_step(i + 1, 1, 3);
    step.moves = 1;
    history.add(step);
    history.finish_last(0.5);
  }
  EXPECT_LE(history.steps().size(), kSamples / 2);
  EXPECT_GE(history.steps().size(), kSamples / 4 - 1);
  std::uint64_t steps = 0;
  std::uint64_t moves = 0;
  double cost = 0;
  double load = 0;
  for (const StepRecord& step : history.steps()) {
    steps += step.steps;
    moves += step.moves;
    cost += step.cost;
    load += step.workers[1].load;
    EXPECT_DOUBLE_EQ(step.imbalance(), 1.5);
  }
  EXPECT_EQ(steps, 1000U);
  EXPECT_EQ(moves, 1000U);
  EXPECT_DOUBLE_EQ(cost, 500);
  EXPECT_DOUBLE_EQ(load, 3000);
  EXPECT_DOUBLE_EQ(history.steps().back().at, 1000);
  EXPECT_EQ(history.totals().steps, 1000U);
}

TEST(History, OfManyPredictionsEverySecondOneIsKept) {
  History history;
  for (std::size_t i = 0; i <= History::kMostPredictions; ++i) {
    history.add(FinishPrediction{.at = static_cast<double>(i), .left = 1, .spread = 0});
  }
  const std::vector<FinishPrediction>& kept = history.predictions();
  ASSERT_EQ(kept.size(), History::kMostPredictions / 2 + 1);
  EXPECT_DOUBLE_EQ(kept[0].at, 0);
  EXPECT_DOUBLE_EQ(kept[1].at, 2);
  EXPECT_DOUBLE_EQ(kept.back().at, static_cast<double>(History::kMostPredictions));
}

}  // namespace
}  // namespace weft::report
