#include "tools/weft/top_rates.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;
using inspect::Counters;

// Process 0 of a job with worker 0 and these ranks, `seconds` after the first question.
Counters answer(double seconds, std::vector<inspect::RankCounters> ranks) {
  Counters counters;
  counters.at = 100 + seconds;
  counters.calls = {"main", "MPI_Recv"};
  counters.workers = {
      {.worker = 0, .at = 50 + seconds, .ran = seconds / 2, .slept = seconds / 4, .waited = seconds / 4}};
  counters.ranks = std::move(ranks);
  return counters;
}

TEST(TopRates, AreOfTheTimeBetweenTwoQuestions) {
  TopRates rates;
  const TopView first = rates.next({answer(0, {{.rank = 3, .seconds = 10, .messages = 100, .bytes = 1000}})});
  EXPECT_EQ(first.seconds, 0);
  ASSERT_EQ(first.ranks.size(), 1U);
  EXPECT_EQ(first.ranks[0].cpu, 0);
  EXPECT_EQ(first.ranks[0].messages, 0);
  EXPECT_EQ(first.ranks[0].total_messages, 100U);

  const TopView second = rates.next({answer(4, {{.rank = 3,
                                                 .activity = Activity::waits,
                                                 .call = 1,
                                                 .seconds = 11,
                                                 .messages = 140,
                                                 .bytes = 9000,
                                                 .memory = 5,
                                                 .moves = 2}})});
  EXPECT_EQ(second.seconds, 4);
  const RankRow& rank = second.ranks.at(0);
  EXPECT_EQ(rank.call, "MPI_Recv");
  EXPECT_EQ(rank.cpu, 0.25);
  EXPECT_EQ(rank.messages, 10);
  EXPECT_EQ(rank.bytes, 2000);
  EXPECT_EQ(rank.moves, 2U);
  EXPECT_EQ(second.workers.at(0).ranks, 1U);
  EXPECT_EQ(second.workers[0].load, 0.25);
  EXPECT_EQ(second.workers[0].asleep, 0.25);
}

TEST(TopRates, SumTheRanksOfAllProcesses) {
  TopRates rates;
  const auto processes = [](double seconds, double ran, std::uint64_t messages) {
    Counters here = answer(seconds, {{.rank = 0, .seconds = ran, .messages = messages, .memory = 100, .moves = 1}});
    Counters there = answer(
        seconds,
        {{.rank = 1, .worker = 1, .activity = Activity::waits, .memory = inspect::RankCounters::kUnknown, .moves = 3},
         {.rank = 2, .worker = 1, .activity = Activity::waits, .seconds = ran, .memory = 11}});
    there.process.process = 1;
    there.workers[0].worker = 1;
    there.ended = 2;
    return std::vector<Counters>{here, there};
  };
  rates.next(processes(0, 0, 0));
  const TopView view = rates.next(processes(2, 1, 8));
  EXPECT_EQ(view.totals.by_activity.at(static_cast<std::size_t>(Activity::waits)), 2U);
  EXPECT_EQ(view.totals.ended, 2U);
  EXPECT_EQ(view.totals.load, 1);
  EXPECT_EQ(view.totals.messages, 4);
  EXPECT_EQ(view.totals.memory, 111U);
  EXPECT_EQ(view.totals.memory_ranks, 2U);
  EXPECT_EQ(view.totals.moves, 4U);
  ASSERT_EQ(view.workers.size(), 2U);
  EXPECT_EQ(view.workers[1].process, 1U);
  EXPECT_EQ(view.workers[1].ranks, 2U);
  EXPECT_EQ(view.workers[1].load, 0.5);
}

// A rank that is between two processes is in no answer, and its counters go with it.
TEST(TopRates, FollowRanksThatMove) {
  TopRates rates;
  rates.next({answer(0, {{.rank = 3, .messages = 100}})});
  EXPECT_TRUE(rates.next({answer(2, {})}).ranks.empty());
  Counters there = answer(4, {{.rank = 3, .worker = 1, .messages = 180}});
  there.process.process = 1;
  const TopView view = rates.next({there});
  EXPECT_EQ(view.ranks.at(0).messages, 20);
  EXPECT_EQ(view.ranks[0].process, 1U);
}

TEST(TopRates, AreNeverBelowZeroNorAboveTheTime) {
  TopRates rates;
  rates.next({answer(0, {{.rank = 3, .seconds = 10, .messages = 100}})});
  EXPECT_EQ(rates.next({answer(1, {{.rank = 3, .seconds = 9, .messages = 90}})}).ranks.at(0).messages, 0);
  const TopView view = rates.next({answer(2, {{.rank = 3, .call = 77, .seconds = 12, .messages = 90}})});
  EXPECT_EQ(view.ranks.at(0).cpu, 1);
  EXPECT_EQ(view.ranks[0].call, "");
}

}  // namespace
}  // namespace weft::tools::weft_tool
