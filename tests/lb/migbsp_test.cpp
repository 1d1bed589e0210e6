// MigBSP's metrics by hand, from the equations of Righi 2009.
#include "lb/migbsp.hpp"

#include <gtest/gtest.h>

#include "base/options.hpp"
#include "lb/loads.hpp"
#include "lb/migbsp_history.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

// Two hosts of two workers each; four ranks on the first worker.
Instance two_hosts() {
  Instance problem = instance({1, 1, 1, 1}, 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.ranks[i].home = WorkerId{0};
    problem.workers[i].place = {i / 2, i / 2, i / 2};
  }
  return problem;
}

TEST(MigbspHistory, SetsAreTheWidestLevelThatDiffers) {
  EXPECT_EQ(sets_of(two_hosts()).of_worker, (Numbers{0, 0, 1, 1}));
  EXPECT_EQ(sets_of(instance({1}, 3)).of_worker, (Numbers{0, 0, 0}));
}

TEST(MigbspHistory, SitesAreSetsWhereThereAreSeveral) {
  Instance problem = two_hosts();
  problem.workers[3].place.site = 1;
  EXPECT_EQ(sets_of(problem).of_worker, (Numbers{0, 0, 0, 1}));
}

TEST(MigbspHistory, PredictionsAgeByHalf) {
  Instance superstep = two_hosts();
  auto patterns = after_superstep({}, superstep, true, 4);
  EXPECT_EQ(patterns[0].predicted_seconds, 1.0);
  superstep.ranks[0].seconds = 3.0;
  patterns = after_superstep(patterns, superstep, false, 4);
  EXPECT_EQ(patterns[0].predicted_seconds, 2.0);
  EXPECT_EQ(patterns[0].predicted_work, 2.0);
  EXPECT_EQ(patterns[1].predicted_seconds, 1.0);
}

// Algorithm 5: by 1 / alpha down for a miss (a forecast of 2 for 3 is off by more than a tenth), up to 1 for a hit.
TEST(MigbspHistory, RegularityFollowsHitsAndMisses) {
  Instance superstep = two_hosts();
  auto patterns = after_superstep({}, superstep, true, 4);
  EXPECT_EQ(patterns[0].regularity, 1.0);
  superstep.ranks[0].seconds = 3.0;
  patterns = after_superstep(patterns, superstep, false, 4);
  EXPECT_EQ(patterns[0].regularity, 0.75);
  EXPECT_EQ(patterns[1].regularity, 1.0);
  patterns = after_superstep(patterns, superstep, true, 4);  // predictions begin anew, regularity lasts
  EXPECT_EQ(patterns[0].predicted_work, 3.0);
  EXPECT_EQ(patterns[0].regularity, 1.0);
}

TEST(MigbspHistory, CountsWhatARankReceivesFromEachSet) {
  Instance superstep = two_hosts();
  superstep.ranks[3].home = WorkerId{2};
  superstep.edges = {{3, 0, 2, 1000}, {1, 0, 1, 50}, {0, 3, 1, 7}};
  const auto patterns = after_superstep({}, superstep, true, 4);
  EXPECT_EQ(patterns[0].sets[0].predicted_bytes, 50.0);
  EXPECT_EQ(patterns[0].sets[1].predicted_bytes, 1000.0);
  EXPECT_EQ(patterns[3].sets[0].predicted_bytes, 7.0);
  EXPECT_NEAR(patterns[0].sets[1].predicted_seconds, 2 * 20e-6 + 1000 * 1e-9, 1e-12);
}

TEST(MigbspHistory, AWindowIsItsSupersteps) {
  Instance measured = two_hosts();
  measured.workers[1].background_seconds = 6.0;
  const std::vector<Superstep> supersteps = {{{1, 1, 1, 1}, {{1, 0, 1, 100}}}, {{1, 4, 1, 1}, {{1, 0, 1, 500}}}};
  const auto patterns = after_supersteps({}, measured, supersteps, 2);
  EXPECT_EQ(patterns[0].regularity, 1.0);
  EXPECT_EQ(patterns[1].regularity, 0.5);  // 1 and then 4: 2.5 was predicted
  EXPECT_EQ(patterns[1].predicted_seconds, 2.5);
  EXPECT_EQ(patterns[0].sets[0].regularity, 0.5);
  EXPECT_EQ(patterns[0].sets[0].predicted_bytes, 300.0);
  // The next interval: predictions begin anew, regularity lasts.
  const auto later = after_supersteps(patterns, measured, {{supersteps[0]}}, 2);
  EXPECT_EQ(later[1].regularity, 1.0);
  EXPECT_EQ(later[1].predicted_seconds, 1.0);
  EXPECT_EQ(superstep_seconds(measured, supersteps, 3), (std::vector<std::vector<double>>{{4, 2, 0, 0}, {7, 2, 0, 0}}));
  EXPECT_TRUE(after_supersteps({}, measured, {}, 2).empty());
}

// The inequalities compare processes: an idle worker does not count unless a process could move there.
TEST(MigbspHistory, IdleWorkersCountWhereOneHasTwoRanks) {
  Instance measured = two_hosts();
  for (std::uint32_t i = 0; i < 4; ++i) {
    measured.ranks[i].home = WorkerId{i};
  }
  const std::vector<Superstep> supersteps = {{{1, 2, 0, 0}, {}}, {{1, 0.001, 0, 2}, {}}};
  EXPECT_EQ(superstep_seconds(measured, supersteps, 2), (std::vector<std::vector<double>>{{1, 2}, {1, 2}}));
  measured.ranks[0].home = WorkerId{1};
  EXPECT_EQ(superstep_seconds(measured, {{supersteps[0]}}, 2), (std::vector<std::vector<double>>{{0, 3, 0, 0}}));
}

TEST(MigbspHistory, IsForMigbsp) {
  EXPECT_TRUE(looks_at_patterns("migbsp:one"));
  EXPECT_FALSE(looks_at_patterns("refine"));
}

TEST(Migbsp, PotentialIsCompPlusCommLessMem) {
  Instance problem = two_hosts();
  problem.seconds_per_move = 0.25;
  problem.seconds_per_moved_byte = 1e-3;
  problem.ranks[0].bytes = 100;
  problem.patterns = after_superstep({}, problem, true, 4);
  problem.patterns[0].regularity = 0.5;
  problem.patterns[0].sets[1] = {0.5, 0.0, 3.0};
  const auto pm = potentials(problem, {});
  // Set 0: workers busy and idle, Set 1: both idle; a busy one counts 0.05.
  const double iset = 1.0 / ((1.0 + 0.05) / 2.0);
  EXPECT_NEAR(pm[0][0], 0.5 * 1.0 - 0.25, 1e-12);
  EXPECT_NEAR(pm[0][1], 0.5 * iset + 0.5 * 3.0 - (100 * 1e-3 + 0.25), 1e-12);
}

// As the thesis's experiments: a Set's capacity is its speed; ranks that share a worker end together.
TEST(Migbsp, TheThesisReadsItsMetricsInAnotherWay) {
  Instance problem = two_hosts();
  problem.seconds_per_move = 0.25;
  problem.seconds_per_moved_byte = 0.0;
  problem.workers[2].speed = problem.workers[3].speed = 1.5;
  const auto pm = potentials(problem, {.as_thesis = true});
  EXPECT_NEAR(pm[0][0], 4.0 - 0.25, 1e-12);
  EXPECT_NEAR(pm[0][1], 4.0 * 1.5 - 0.25, 1e-12);
}

// Both workers of a slow Set hold the others up: the first move alone makes no step shorter.
TEST(Migbsp, RanksLeaveASlowSetOneAtATime) {
  Instance problem = instance({1, 1}, 4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    problem.workers[i].place = {i / 2, i / 2, i / 2};
    problem.workers[i].speed = i < 2 ? 1.0 : 2.0;
  }
  for (const std::uint32_t left : {1U, 0U}) {
    const Plan plan = Migbsp({.part = 1.0}).solve(problem);
    EXPECT_EQ(moves_of(problem, plan).ranks, 1U);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      problem.ranks[i].seconds = number(plan[i]) < 2 ? 1.0 : 0.5;
      problem.ranks[i].home = plan[i];
    }
    EXPECT_EQ(longest_seconds(problem, homes_of(problem)), left == 0 ? 0.5 : 1.0);
  }
}

TEST(Migbsp, ReadsItsSettings) {
  const MigbspSettings settings = parse_migbsp("one,thesis,delta=0.5");
  EXPECT_EQ(settings.part, 1.0);
  EXPECT_TRUE(settings.as_thesis);
  EXPECT_EQ(settings.margins.delta, 0.5);
  EXPECT_EQ(parse_migbsp("0.7").part, 0.7);
  EXPECT_EQ(margins_of("migbsp:0.7,delta=0.2").delta, 0.2);
  EXPECT_EQ(margins_of("refine").delta, MigbspMargins{}.delta);
  EXPECT_THROW(parse_migbsp("two"), base::OptionError);
  EXPECT_THROW(parse_migbsp("delta=2"), base::OptionError);
}

TEST(Migbsp, HeuristicTwoMovesOneRankAtMost) {
  const Instance problem = two_hosts();
  EXPECT_EQ(moves_of(problem, Migbsp({.part = 1.0}).solve(problem)).ranks, 1U);
  EXPECT_GE(moves_of(problem, Migbsp({.part = 0.8}).solve(problem)).ranks, 2U);
}

TEST(Migbsp, AnIrregularRankIsABadCandidate) {
  Instance problem = two_hosts();
  problem.patterns = after_superstep({}, problem, true, 4);
  for (const std::size_t i : {0U, 2U, 3U}) {
    problem.patterns[i].regularity = 0.1;
  }
  const Plan plan = Migbsp({.part = 0.8}).solve(problem);
  EXPECT_NE(number(plan[1]), 0U);
  EXPECT_EQ(moves_of(problem, plan).ranks, 1U);
}

TEST(Migbsp, NothingMovesWhereItCostsMoreThanItGains) {
  Instance problem = two_hosts();
  problem.seconds_per_move = 10.0;
  EXPECT_EQ(moves_of(problem, Migbsp().solve(problem)).ranks, 0U);
}

// With a high bar the heaviest ranks stay the only candidates, even where they are well placed.
TEST(Migbsp, RepeatedStepsWithoutABarBalance) {
  Instance problem = random_instance(5, 200, 8, {.places = true});
  for (int step = 0; step < 60; ++step) {
    const Plan plan = Migbsp({.part = 0.0}).solve(problem);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      problem.ranks[i].home = plan[i];
    }
  }
  EXPECT_LE(longest_seconds(problem, homes_of(problem)), 1.35 * ideal_seconds(problem));
}

}  // namespace
}  // namespace weft::lb
