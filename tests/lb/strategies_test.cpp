// What every strategy must keep to, and what each of them is for.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "lb/greedy.hpp"
#include "lb/none.hpp"
#include "lb/rotate.hpp"

namespace weft::lb {

static void PrintTo(const StrategyInfo& strategy, std::ostream* out) { *out << strategy.name; }

namespace {

Instance instance(std::vector<double> seconds, std::uint32_t workers) {
  Instance result;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    result.ranks.push_back(
        {RankId{static_cast<std::uint32_t>(i)}, WorkerId{static_cast<std::uint32_t>(i) % workers}, seconds[i]});
  }
  result.workers.resize(workers);
  return result;
}

std::vector<std::uint32_t> numbers(const Plan& plan) {
  std::vector<std::uint32_t> result;
  for (const WorkerId worker : plan) {
    result.push_back(number(worker));
  }
  return result;
}

using Numbers = std::vector<std::uint32_t>;

TEST(Strategies, NamesAreUniqueAndEachMakesAStrategy) {
  std::set<std::string_view> names;
  for (const StrategyInfo& info : strategies()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_NE(make_strategy(info.name), nullptr) << info.name;
  }
  EXPECT_TRUE(names.contains("none"));
}

TEST(Strategies, UnknownNameMakesNothing) { EXPECT_EQ(make_strategy("gready"), nullptr); }

class EveryStrategy : public testing::TestWithParam<StrategyInfo> {};

TEST_P(EveryStrategy, PlansForEveryRankAWorkerOfTheInstanceAndLeavesBoundRanks) {
  for (const std::uint32_t workers : {1U, 2U, 3U, 8U}) {
    Instance problem = instance({3, 1, 4, 1, 5, 9, 2, 6, 5}, workers);
    problem.ranks[5].may_move = false;
    const Plan plan = GetParam().make()->solve(problem);
    ASSERT_EQ(plan.size(), problem.ranks.size());
    for (const WorkerId worker : plan) {
      EXPECT_LT(number(worker), workers);
    }
    EXPECT_EQ(plan[5], problem.ranks[5].home);
  }
}

TEST_P(EveryStrategy, GivesTheSamePlanForTheSameInstance) {
  const Instance problem = instance({1, 1, 1, 2, 2, 2, 1, 1}, 3);
  EXPECT_EQ(GetParam().make()->solve(problem), GetParam().make()->solve(problem));
}

TEST_P(EveryStrategy, TakesAnInstanceWithoutRanks) { EXPECT_TRUE(GetParam().make()->solve(instance({}, 2)).empty()); }

INSTANTIATE_TEST_SUITE_P(Table, EveryStrategy, testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& row) { return std::string(row.param.name); });

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

}  // namespace
}  // namespace weft::lb
