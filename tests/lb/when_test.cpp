#include "lb/when.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/options.hpp"
#include "lb/greedy.hpp"
#include "lb/loads.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

// Two workers, four ranks of a second; `first` of them at worker 0.
Instance lopsided(std::uint32_t first) {
  Instance problem = instance({1, 1, 1, 1}, 2);
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.ranks[i].home = WorkerId{i < first ? 0U : 1U};
  }
  return problem;
}

void observe(When& when, std::uint64_t call, const Instance& measured) { when.observe(call, measured); }

Evaluation step(When& when, std::uint64_t call, const Instance& measured) {
  when.observe(call, measured);
  return when.evaluate(effect_of(measured, Greedy().solve(measured)));
}

TEST(EveryKth, IsDueAtEveryKthCall) {
  const auto when = make_when("every:3");
  EXPECT_EQ(when->next_call(), 3U);
  EXPECT_TRUE(step(*when, 3, lopsided(3)).move);
  EXPECT_EQ(when->next_call(), 6U);
}

TEST(EveryKth, ItsPeriodIsReadFromItsText) {
  EXPECT_EQ(period_of("every:20"), 20U);
  EXPECT_EQ(period_of("every"), 1U);
  EXPECT_EQ(period_of("auto:0.1"), 0U);
}

TEST(AutoWhen, MovesWhenTheGainBeatsTheCost) {
  AutoWhen when;
  const Evaluation evaluation = step(when, 1, lopsided(3));
  EXPECT_TRUE(evaluation.move);
  EXPECT_DOUBLE_EQ(evaluation.gain, 1.0);
  EXPECT_LT(evaluation.cost, 1e-3);
}

TEST(AutoWhen, MovesNothingInABalancedProgram) {
  AutoWhen when;
  for (std::uint64_t call = 1; call < 100; ++call) {
    EXPECT_FALSE(step(when, call, lopsided(2)).move);
  }
}

TEST(AutoWhen, WaitsUntilTheLossEqualsThePrice) {
  AutoWhen when;
  observe(when, 1, lopsided(3));
  (void)when.evaluate(effect_of(lopsided(3), Greedy().solve(lopsided(3))));
  when.record_cost({.moves = 1, .bytes = 0, .seconds = 3.5});
  std::uint64_t call = 2;
  observe(when, call, lopsided(2));  // it came true
  while (!when.evaluate(effect_of(lopsided(3), Greedy().solve(lopsided(3)))).move) {
    observe(when, ++call, lopsided(3));
    ASSERT_LT(call, 20U);
  }
  EXPECT_GE(call, 3U);
  EXPECT_LE(call, 6U);
}

TEST(AutoWhen, LosesTrustInPlansThatDoNotHelp) {
  AutoWhen when;
  for (std::uint64_t call = 1; call < 12; ++call) {
    (void)step(when, call, lopsided(3));  // moves never change what is measured
  }
  EXPECT_LT(when.trust(), 0.3);
}

TEST(AutoWhen, TakesLongerIntervalsWhileThereIsNothingToGain) {
  AutoWhen when;
  const auto next_interval = [&](const Instance& measured) {
    const std::uint64_t call = when.next_call();
    (void)step(when, call, measured);
    when.record_cost({.moves = 0, .bytes = 0, .seconds = 1e-6});
    return when.next_call() - call;
  };
  for (const std::uint64_t wanted : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 8U}) {
    EXPECT_EQ(next_interval(lopsided(2)), wanted);
  }
  EXPECT_EQ(next_interval(lopsided(3)), 1U);
}

TEST(AutoWhen, TakesLongerIntervalsWhenAStepAloneIsDear) {
  AutoWhen when;
  observe(when, 1, lopsided(2));
  (void)when.evaluate(effect_of(lopsided(2), homes_of(lopsided(2))));
  when.record_cost({.moves = 0, .bytes = 0, .seconds = 0.1});  // 5 % of the interval of 2 s
  EXPECT_EQ(when.next_call(), 1U + 10U);
}

TEST(MoveCost, LearnsWhatAMoveAndAByteCost) {
  MoveCost cost;
  cost.learn({.moves = 0, .bytes = 0, .seconds = 0.01});
  for (std::uint64_t i = 1; i < 40; ++i) {
    const std::uint64_t moves = 1 + i % 7;
    const std::uint64_t bytes = (i % 5) * 1'000'000;
    const double seconds = 0.01 + 1e-3 * static_cast<double>(moves) + 2e-9 * static_cast<double>(bytes);
    cost.learn({.moves = moves, .bytes = bytes, .seconds = seconds});
  }
  EXPECT_NEAR(cost.per_move(), 1e-3, 1e-4);
  EXPECT_NEAR(cost.per_byte(), 2e-9, 2e-10);
  EXPECT_DOUBLE_EQ(cost.step(), 0.01);
  EXPECT_EQ(cost.seconds(0, 0), 0.0);
}

TEST(MoveCost, IsNeverNegative) {
  MoveCost cost;
  cost.learn({.moves = 0, .bytes = 0, .seconds = 5.0});
  cost.learn({.moves = 10, .bytes = 1 << 30, .seconds = 0.1});
  EXPECT_GE(cost.per_move(), 0.0);
  EXPECT_GE(cost.per_byte(), 0.0);
}

// Equation 4.3: in a stable system alpha doubles at each step.
TEST(Migbsp, DoublesTheIntervalInAStableSystem) {
  MigbspWhen when;
  std::uint64_t call = 0;
  for (const std::uint64_t alpha : {4U, 8U, 16U, 32U}) {
    EXPECT_EQ(when.alpha(), alpha);
    call = when.next_call();
    observe(when, call, lopsided(2));
  }
}

TEST(Migbsp, KeepsTheIntervalInAnUnstableSystem) {
  MigbspWhen when;
  for (int i = 0; i < 3; ++i) {
    observe(when, when.next_call(), lopsided(4));
    EXPECT_EQ(when.alpha(), 4U);
  }
}

TEST(Migbsp, CountsEverySuperstepWhereTheyAreKnown) {
  MigbspWhen when;
  const std::vector<std::vector<double>> supersteps = {{1, 1}, {1, 1}, {1, 9}, {1, 1}};
  when.observe(4, lopsided(2), supersteps);
  EXPECT_EQ(when.alpha(), 4U + 3U - 1U);
}

TEST(Migbsp, WidensAndNarrowsTheDistance) {
  MigbspWhen when;
  const Instance problem = lopsided(3);
  const Plan stay = homes_of(problem);
  Plan move = stay;
  move[0] = WorkerId{1};
  (void)when.evaluate(effect_of(problem, stay));
  (void)when.evaluate(effect_of(problem, stay));
  EXPECT_DOUBLE_EQ(when.distance(), 0.5);
  (void)when.evaluate(effect_of(problem, stay));  // omega = 3
  EXPECT_DOUBLE_EQ(when.distance(), 0.75);
  (void)when.evaluate(effect_of(problem, stay));  // 1.125 would be beyond 1
  EXPECT_DOUBLE_EQ(when.distance(), 0.75);
  (void)when.evaluate(effect_of(problem, move));
  EXPECT_DOUBLE_EQ(when.distance(), 0.375);
}

void expect_refused(const char* text, const std::string& part) {
  try {
    (void)make_when(text);
    ADD_FAILURE() << text << " was taken";
  } catch (const base::OptionError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(When, RefusesWhatItDoesNotKnow) {
  expect_refused("evry:3", "did you mean 'every'?");
  expect_refused("every:0", "a whole number from 1");
  expect_refused("auto:x", "a number from 0 to 1, not 'x'");
}

}  // namespace
}  // namespace weft::lb
