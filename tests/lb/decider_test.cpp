#include "lb/decider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/options.hpp"
#include "lb/job_tree.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The observation at this call, in which no rank asks for a worker.
Observation observation(std::uint64_t call, Instance measured) {
  Observation result(measured.ranks.size(), measured.workers.size());
  result.call = call;
  result.measured = std::move(measured);
  return result;
}

// Two hosts of two workers each, a process each; four ranks on the first worker.
Instance two_busy_hosts() {
  Instance problem;
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.ranks.push_back({RankId{i}, WorkerId{0}, 4.0});
    problem.workers.push_back({.place = {i / 2, i / 2, i / 2}});
  }
  return problem;
}

Decision step(Decider& decider, Observation observed, double paid = 1e-6) {
  decider.observe(std::move(observed));
  Decision decision = decider.decide();
  decider.record_cost(paid);
  return decision;
}

TEST(Observation, HoldsWhatRanksNeedWhereTheyAre) {
  Observation observed(2, 2);
  observed.add_worker(WorkerId{0}, {.contended = 0.25, .speed = 0.5}, {.numa = 3, .process = 1, .host = 2});
  observed.add_worker(WorkerId{1}, {}, {});
  observed.add_rank({.rank = RankId{1}, .home = WorkerId{0}, .work = 2.0, .bytes = 7, .may_leave = false, .wanted = 1});
  observed.add_rank({.rank = RankId{0}, .home = WorkerId{1}, .work = 1.0});
  observed.add_superstep(1, RankId{1}, {.work = 1.0, .sent = {{.from = 1, .to = 0, .messages = 2, .bytes = 3}}});
  const Instance& measured = observed.measured;
  EXPECT_EQ(measured.workers[0].speed, 0.5);
  EXPECT_EQ(measured.workers[0].background_seconds, 0.25);
  EXPECT_EQ(measured.workers[0].place.numa, 3U);
  EXPECT_EQ(measured.ranks[1].rank, RankId{1});
  EXPECT_EQ(measured.ranks[1].seconds, 4.0);
  EXPECT_EQ(measured.ranks[1].bytes, 7U);
  EXPECT_FALSE(measured.ranks[1].may_move);
  EXPECT_EQ(measured.ranks[0].seconds, 1.0);
  EXPECT_THAT(observed.wanted, ElementsAre(kAnyWorker, 1U));
  ASSERT_EQ(observed.supersteps.size(), 2U);
  EXPECT_THAT(observed.supersteps[1].seconds, ElementsAre(0.0, 2.0));
  ASSERT_EQ(observed.supersteps[1].edges.size(), 1U);
  EXPECT_EQ(observed.supersteps[1].edges[0].bytes, 3U);
}

TEST(JobTree, ProcessesBalanceWithTheCostsOfTheJob) {
  Instance problem = two_busy_hosts();
  problem.links[0].seconds_per_message = 1.0;
  problem.seconds_per_move = 2.0;
  problem.seconds_per_moved_byte = 3.0;
  const JobTree tree(problem);
  ASSERT_EQ(tree.process_count(), 2U);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(tree.process(p).instance.links[0].seconds_per_message, 1.0);
    EXPECT_EQ(tree.process(p).instance.seconds_per_move, 2.0);
    EXPECT_EQ(tree.process(p).instance.seconds_per_moved_byte, 3.0);
  }
}

TEST(Decider, RefusesNamesThatDoNotExist) {
  EXPECT_THROW(Decider({.strategy = "nonesuch"}), base::OptionError);
  EXPECT_THROW(Decider({.when = "nonesuch"}), base::OptionError);
  EXPECT_THROW(Decider({.model = "nonesuch"}), base::OptionError);
}

TEST(Decider, TakesTheWorkThatRanksHaveDeclared) {
  Decider decider({.strategy = "none", .model = "user/mean:0.5"});
  const auto after = [&](std::uint64_t call, const std::array<RankInterval, 2>& ranks) {
    Observation observed(2, 1);
    observed.call = call;
    observed.add_worker(WorkerId{0}, {}, {});
    for (const RankInterval& rank : ranks) {
      observed.add_rank(rank);
    }
    step(decider, std::move(observed));
    return std::array{decider.predicted().ranks[0].seconds, decider.predicted().ranks[1].seconds};
  };
  const RankInterval first{.rank = RankId{0}, .work = 8.0};
  const RankInterval second{.rank = RankId{1}, .work = 8.0};
  EXPECT_THAT(after(1, {first, second}), ElementsAre(8.0, 8.0));
  const RankInterval measured{.rank = RankId{0}, .work = 4.0};
  const RankInterval declared{.rank = RankId{1}, .work = 7.0, .is_declared = true};
  EXPECT_THAT(after(2, {measured, declared}), ElementsAre(6.0, 7.0));
}

TEST(Decider, GivesTheStrategysPlanAndItsMoves) {
  Decider decider({.strategy = "rotate", .when = "every:3"});
  EXPECT_EQ(decider.next_call(), 3U);
  Instance problem = two_busy_hosts();
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.ranks[i].home = WorkerId{i};
    problem.ranks[i].bytes = 10 + i;
  }
  const Decision decision = step(decider, observation(3, problem));
  EXPECT_EQ(numbers(decision.homes), (Numbers{1, 2, 3, 0}));
  EXPECT_THAT(decision.moving, ElementsAre(RankId{0}, RankId{1}, RankId{2}, RankId{3}));
  EXPECT_EQ(decision.moves.ranks, 4U);
  EXPECT_EQ(decision.crossings, 2U);
  EXPECT_EQ(decision.moves.bytes, 11U + 13U);
  EXPECT_EQ(decider.next_call(), 6U);
}

TEST(Decider, AWishGoesBeforeTheStrategy) {
  Decider decider({.strategy = "rotate"});
  Observation observed = observation(1, two_busy_hosts());
  observed.wanted = {0, 1, 3, kAnyWorker};
  const Decision decision = step(decider, observed);
  EXPECT_EQ(numbers(decision.homes), (Numbers{0, 1, 3, 1}));
  EXPECT_THAT(decision.moving, ElementsAre(RankId{1}, RankId{2}, RankId{3}));
  EXPECT_EQ(decision.crossings, 1U);
}

TEST(Decider, ARankThatCannotBePackedStaysInItsProcess) {
  Observation observed = observation(1, two_busy_hosts());
  for (RankLoad& rank : observed.measured.ranks) {
    rank.may_move = false;
  }
  observed.wanted = {1, 2, kAnyWorker, kAnyWorker};
  Decider within({.strategy = "none"});
  EXPECT_EQ(numbers(step(within, observed).homes), (Numbers{1, 0, 0, 0}));
  Decider packs({.strategy = "none", .packs_every_move = true});
  const Decision decision = step(packs, observed);
  EXPECT_EQ(numbers(decision.homes), (Numbers{0, 0, 0, 0}));
  EXPECT_THAT(decision.moving, IsEmpty());
}

TEST(Decider, TheRuleOfWhenCanRefuseThePlanButNotAWish) {
  Decider decider({.strategy = "greedy", .when = "auto:0.5"});
  Instance problem = instance({1.0, 1.1, 1.0, 1.3}, 2);
  Observation observed = observation(1, problem);
  observed.wanted[3] = 0;
  const Decision decision = step(decider, observed);
  EXPECT_EQ(numbers(decision.homes), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(decision.predicted_gain, 0.0);
}

// Two calls of a second each weigh as much as one call of a second.
TEST(Decider, ComparesIntervalsOfDifferentLengthByTheirCalls) {
  Decider decider({.strategy = "none", .when = "every", .model = "mean:0.5"});
  (void)step(decider, observation(1, instance({1.0, 3.0}, 1)));
  (void)step(decider, observation(3, instance({2.0, 2.0}, 1)));
  const std::vector<RankLoad>& ranks = decider.predicted().ranks;
  EXPECT_DOUBLE_EQ(ranks[0].seconds, 2.0);  // 1 a call
  EXPECT_DOUBLE_EQ(ranks[1].seconds, 4.0);  // the mean of 3 and 1 a call
}

TEST(Decider, LearnsWhatMovesCost) {
  Decider decider({.strategy = "migbsp"});
  EXPECT_GT(step(decider, observation(1, two_busy_hosts()), 1000.0).moves.ranks, 0U);
  EXPECT_GT(decider.costs().seconds_per_move, 1.0);
  EXPECT_EQ(step(decider, observation(2, two_busy_hosts())).moves.ranks, 0U);
}

TEST(Decider, BelievesThePricesItIsTold) {
  Decider decider({.strategy = "migbsp", .move_prices = {.per_move = 1000.0, .step = 0.5}});
  EXPECT_EQ(decider.costs().seconds_per_move, 1000.0);
  EXPECT_EQ(step(decider, observation(1, two_busy_hosts())).moves.ranks, 0U);
}

// The ranks that a decider moves after it has seen this interval of four calls that many times. Ranks always return
// home.
std::vector<RankId> moved(Decider& decider, std::uint64_t intervals, const std::vector<Superstep>& supersteps) {
  Decision decision;
  for (std::uint64_t i = 1; i <= intervals; ++i) {
    Observation observed = observation(4 * i, two_busy_hosts());
    observed.supersteps = supersteps;
    decision = step(decider, observed);
  }
  return decision.moving;
}

TEST(Decider, AnIrregularRankIsNoCandidateOfMigbsp) {
  // Rank 1 does the same in each superstep; the others' work comes and goes.
  const std::vector<Superstep> supersteps = {
      {{1, 1, 2, 9}, {}}, {{9, 1, 8, 1}, {}}, {{1, 1, 1, 9}, {}}, {{5, 1, 9, 1}, {}}};
  Decider decider({.strategy = "migbsp"});
  EXPECT_THAT(moved(decider, 3, supersteps), ElementsAre(RankId{1}));
  Decider without({.strategy = "migbsp"});
  EXPECT_GE(moved(without, 3, {}).size(), 2U);
}

TEST(Decider, KnowsMigbspsMargin) {
  // 1.3 after 1: the forecast of 1.15 is off by more than a tenth.
  const std::vector<Superstep> supersteps = {{{1, 1, 1, 1}, {}}, {{1.3, 1, 1, 1}, {}}};
  for (const bool tolerant : {false, true}) {
    Decider decider({.strategy = tolerant ? "migbsp:0.8,delta=0.5" : "migbsp"});
    (void)moved(decider, 1, supersteps);
    EXPECT_EQ(decider.predicted().patterns.at(0).regularity, tolerant ? 1.0 : 0.75);
  }
}

// Processes report edges in any order.
TEST(Decider, TheOrderOfMessagesDoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Instance problem = random_instance(seed, 40, 8, {.edges = true, .places = true});
    Instance turned = problem;
    std::ranges::reverse(turned.edges);
    Decider one({.strategy = "hwtopo"});
    Decider other({.strategy = "hwtopo"});
    EXPECT_EQ(numbers(step(one, observation(1, problem)).homes), numbers(step(other, observation(1, turned)).homes));
  }
}

// What the processes of a job compute of a plan, each for itself.
DistributedPlan distributed_plan(const Instance& problem, const Plan& plan) {
  const Moves moves = moves_of(problem, plan);
  return {.longest = longest_seconds(problem, plan), .planned = moves, .carried_out = moves};
}

Plan balance_processes(const JobTree& tree, const Strategy& inner, const Instance& problem) {
  Plan plan(problem.ranks.size());
  for (std::size_t p = 0; p < tree.process_count(); ++p) {
    tree.balance_process(p, inner, plan);
  }
  return plan;
}

// Combines each worker's ranks into one.
Instance by_worker(const Instance& problem) {
  const std::vector<double> seconds = worker_seconds(problem, homes_of(problem));
  Instance sums;
  sums.workers = problem.workers;
  for (std::uint32_t w = 0; w < seconds.size(); ++w) {
    if (std::ranges::any_of(problem.ranks, [w](const RankLoad& rank) { return number(rank.home) == w; })) {
      sums.ranks.push_back({RankId{static_cast<std::uint32_t>(sums.ranks.size())}, WorkerId{w},
                            seconds[w] - problem.workers[w].background_seconds});
    }
  }
  return sums;
}

// The next step is as far away as ever, and loads are known.
TEST(Decider, LearnsFromStepsInWhichNobodyMayMove) {
  for (const auto& [when, next] : {std::pair("every:5", 10U), {"migbsp:4", 9U}, {"auto", 6U}}) {
    Decider decider({.strategy = "greedy", .when = when, .model = "mean:0.5"});
    Observation observed = observation(5, two_busy_hosts());
    observed.wanted[0] = 3;
    decider.observe(std::move(observed));
    const Decision decision = decider.keep_homes();
    EXPECT_EQ(numbers(decision.homes), numbers(homes_of(two_busy_hosts()))) << when;
    EXPECT_THAT(decision.moving, IsEmpty()) << when;
    EXPECT_EQ(decision.moves.ranks, 0U) << when;
    EXPECT_EQ(decider.next_call(), next) << when;
    decider.record_cost(1e-9);
    Instance idle = two_busy_hosts();
    for (RankLoad& rank : idle.ranks) {
      rank.seconds = 0;
    }
    decider.observe(observation(10, idle));
    EXPECT_DOUBLE_EQ(decider.predicted().ranks[0].seconds, 2.0) << when;  // of 4 and 0
  }
}

TEST(Decider, LearnsFromStepsInPartsInWhichNobodyMayMove) {
  Decider decider({.strategy = "hierarchical", .when = "every:5"});
  decider.observe_distributed(5, by_worker(two_busy_hosts()));
  EXPECT_EQ(decider.keep_homes().moves.ranks, 0U);
  EXPECT_EQ(decider.next_call(), 10U);
}

// A job whose processes compute the plans chooses the same plans at the same calls as one with all loads in one place.
TEST(Decider, DecidesInPartsAsForTheWholeJob) {
  std::array<int, kMoveScopes> chosen{};
  for (const char* const when : {"every:2", "auto:0.2"}) {
    const DeciderOptions options{.strategy = "hierarchical", .when = when};
    Decider whole(options);
    Decider parts(options);
    const auto& strategy = dynamic_cast<const Hierarchical&>(parts.strategy());
    Instance problem = random_instance(1, 60, 8, {.speeds = true, .background = true, .bound = true, .places = true});
    std::uint64_t next_call = whole.next_call();
    for (std::uint64_t call = 1; call <= 40; ++call) {
      const Instance loads = random_instance(call / 4, 60, 8);
      for (std::size_t r = 0; r < problem.ranks.size(); ++r) {
        problem.ranks[r].seconds = loads.ranks[r].seconds;
      }
      if (call < next_call) {
        continue;
      }
      JobTree tree(problem);
      const Plan within = balance_processes(tree, strategy.inner(), problem);
      tree.exchange(strategy.outer());
      const std::array plans{homes_of(problem), within, balance_processes(tree, strategy.inner(), problem)};
      const auto in_part = [&](const Plan& plan) { return distributed_plan(problem, plan); };
      parts.observe_distributed(call, by_worker(problem));
      const Decider::DistributedDecision distributed =
          parts.choose(std::array{in_part(plans[0]), in_part(plans[1]), in_part(plans[2])});
      whole.observe(observation(call, problem));
      const Decision decision = whole.decide();
      next_call = whole.next_call();
      ASSERT_EQ(next_call, parts.next_call());
      whole.record_cost(1e-3);
      parts.record_cost(1e-3);
      const auto index = static_cast<std::size_t>(distributed.scope);
      ++chosen[index];
      ASSERT_EQ(numbers(decision.homes), numbers(plans[index])) << when << ", call " << call;
      EXPECT_NEAR(decision.predicted_gain, distributed.predicted_gain, 1e-9 + 1e-9 * decision.predicted_gain);
      for (std::size_t r = 0; r < problem.ranks.size(); ++r) {
        problem.ranks[r].home = decision.homes[r];
      }
    }
  }
  EXPECT_GT(chosen[0], 0);
  EXPECT_GT(chosen[2], 0);
}

}  // namespace
}  // namespace weft::lb
