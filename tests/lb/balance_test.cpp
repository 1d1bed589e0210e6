// Strategies that balance load only, compared with their bounds and with the best of all plans.
#include <gtest/gtest.h>

#include <algorithm>

#include "lb/background.hpp"
#include "lb/greedy.hpp"
#include "lb/greedy_refine.hpp"
#include "lb/loads.hpp"
#include "lb/none.hpp"
#include "lb/refine.hpp"
#include "lb/rotate.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

std::uint64_t moves(const Instance& problem, const Strategy& strategy) {
  return moves_of(problem, strategy.solve(problem)).ranks;
}

constexpr double kRounding = 1.0 + 1e-9;

TEST(Greedy, KeepsGrahamsBound) {
  for (const Instance& problem : small_instances()) {
    const auto m = static_cast<double>(problem.workers.size());
    const double bound = (4.0 / 3.0 - 1.0 / (3.0 * m)) * best_seconds(problem);
    EXPECT_LE(longest_seconds(problem, Greedy().solve(problem)), bound * kRounding);
  }
}

TEST(GreedyRefine, StaysWithinItsToleranceOfGreedy) {
  for (const Instance& problem : small_instances()) {
    const double greedy = longest_seconds(problem, list_schedule(problem, -1.0));
    const double bound = std::max(1.02 * greedy, 4.0 / 3.0 * best_seconds(problem));
    EXPECT_LE(longest_seconds(problem, GreedyRefine().solve(problem)), bound * kRounding);
  }
}

TEST(GreedyRefine, MovesLessThanGreedy) {
  const Instance problem = random_instance(3, 400, 8);
  EXPECT_LT(moves(problem, GreedyRefine()), moves(problem, Greedy()) * 8 / 10);
}

// No single move shortens the longest worker: then it is at most 2 - 2 / (m + 1) of the best (Finn, Horowitz 1979).
TEST(Refine, ReachesItsToleranceOrLeavesNoMoveThatHelps) {
  for (const Instance& problem : small_instances()) {
    const auto m = static_cast<double>(problem.workers.size());
    const double bound = std::max(1.05 * ideal_seconds(problem), (2.0 - 2.0 / (m + 1.0)) * best_seconds(problem));
    EXPECT_LE(longest_seconds(problem, Refine().solve(problem)), bound * 1.01);
  }
}

TEST(RefineBisect, IsAboutAsGoodAsGreedy) {
  for (const Instance& problem : small_instances()) {
    const double bound = 4.0 / 3.0 * best_seconds(problem);
    EXPECT_LE(longest_seconds(problem, RefineBisect().solve(problem)), bound * 1.02);
  }
}

TEST(Refine, ReachesItsToleranceWhereRanksAreSmall) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Features features{.speeds = seed % 2 == 1, .background = seed % 3 == 1};
    const Instance problem = random_instance(seed, 2000, 8, features);
    const double ideal = ideal_seconds(problem);
    EXPECT_LE(longest_seconds(problem, Refine().solve(problem)), 1.05 * ideal * kRounding);
    EXPECT_LE(longest_seconds(problem, Refine(1.01).solve(problem)), 1.01 * ideal * kRounding);
    EXPECT_LE(longest_seconds(problem, RefineBisect(0.005).solve(problem)), 1.006 * ideal);
  }
}

TEST(Refine, MovesAsFewAsItCan) {
  Instance problem = instance({1, 1, 1, 1, 1, 1, 1, 1}, 2);
  problem.ranks[1].home = WorkerId{0};
  EXPECT_EQ(numbers(Refine().solve(problem)).size(), 8U);
  EXPECT_EQ(moves(problem, Refine()), 1U);
}

TEST(Refine, GoesOnWhenNoRankFitsUnderTheLimit) {
  Instance problem = instance({2, 2, 2, 2, 2}, 3);
  for (RankLoad& rank : problem.ranks) {
    rank.home = WorkerId{0};
  }
  EXPECT_EQ(longest_seconds(problem, Refine().solve(problem)), 4.0);
  EXPECT_EQ(longest_seconds(problem, RefineBisect().solve(problem)), 4.0);
}

TEST(Background, BringsEveryCoreToWithinEpsOfTheAverage) {
  Instance problem = instance(std::vector<double>(400, 0.01), 4);
  problem.workers[3].background_seconds = 0.5;
  const double average = (4.0 + 0.5) / 4.0;
  for (const double seconds : worker_seconds(problem, Background(0.02).solve(problem))) {
    EXPECT_NEAR(seconds, average, 0.02 * average * kRounding);
  }
}

TEST(Background, GoesOnPastACoreThatCannotGive) {
  Instance problem = instance(std::vector<double>(60, 0.1), 3);
  problem.workers[0].background_seconds = 3.0;
  for (std::size_t i = 0; i < 60; ++i) {
    problem.ranks[i].home = WorkerId{i < 2 ? 0U : 1U};
    problem.ranks[i].may_move = i >= 2;
  }
  const auto seconds = worker_seconds(problem, Background(0.05).solve(problem));
  EXPECT_LT(seconds[1], 3.2);
  EXPECT_GT(seconds[2], 2.5);
}

TEST(Background, GivesTheLargestTaskThatFits) {
  Instance problem = instance({5, 1, 3, 1}, 2);  // homes 0 1 0 1: 8 and 2
  EXPECT_EQ(numbers(Background(0.05).solve(problem)), (Numbers{0, 1, 1, 1}));
}

TEST(None, KeepsHomes) { EXPECT_EQ(numbers(None().solve(instance({9, 1, 1, 1}, 3))), (Numbers{0, 1, 2, 0})); }

TEST(Rotate, SendsEachRankToTheNextWorker) {
  EXPECT_EQ(numbers(Rotate().solve(instance({1, 1, 1, 1}, 3))), (Numbers{1, 2, 0, 1}));
}

TEST(Greedy, PutsEachHeavyRankOnItsOwnWorker) {
  EXPECT_EQ(numbers(Greedy().solve(instance({4.0, 1.0, 3.0}, 2))), (Numbers{0, 1, 1}));
}

TEST(Greedy, BreaksTiesTheSameWayEveryTime) {
  EXPECT_EQ(numbers(Greedy().solve(instance({1.0, 1.0}, 2))), (Numbers{0, 1}));
}

TEST(Greedy, CountsBackgroundLoad) {
  Instance problem = instance({1.0, 1.0, 1.0}, 2);
  problem.workers[0].background_seconds = 2.5;
  EXPECT_EQ(numbers(Greedy().solve(problem)), (Numbers{1, 1, 1}));
}

TEST(Greedy, CountsRanksThatMayNotMove) {
  Instance problem = instance({5.0, 1.0, 1.0}, 2);
  problem.ranks[0].may_move = false;
  EXPECT_EQ(numbers(Greedy().solve(problem)), (Numbers{0, 1, 1}));
}

TEST(Greedy, GivesFasterWorkersMore) {
  Instance problem = instance({1.0, 1.0, 1.0, 1.0, 1.0, 1.0}, 2);
  for (RankLoad& rank : problem.ranks) {
    rank.home = WorkerId{0};
  }
  problem.workers[1].speed = 2.0;
  const Numbers plan = numbers(Greedy().solve(problem));
  EXPECT_EQ(std::count(plan.begin(), plan.end(), 1U), 4);
}

TEST(GreedyDeathTest, RefusesAnInstanceWithoutWorkers) {
  EXPECT_DEATH((void)Greedy().solve({}), "at least one worker");
}

TEST(Loads, TheIdealFillsWorkersUpOverWhatTheyHave) {
  Instance problem = instance({1, 1, 1, 1}, 3);
  problem.workers[2].background_seconds = 10.0;
  EXPECT_DOUBLE_EQ(ideal_seconds(problem), 2.0);
  problem.workers[1].speed = 3.0;  // rank 1 was measured there: it is 3 of work
  EXPECT_DOUBLE_EQ(ideal_seconds(problem), 6.0 / 4.0);
}

}  // namespace
}  // namespace weft::lb
