#include "runtime/sched/steal_slots.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "runtime/sched/rank_context.hpp"

namespace weft::runtime {
namespace {

class StealSlotsTest : public testing::Test {
 protected:
  RankContext& rank(std::uint32_t number) { return ranks_[number]; }
  StealSlots steal_slots_;

 private:
  std::array<RankContext, 4> ranks_{
      RankContext{RankId{0}, nullptr, ProcessId{}}, RankContext{RankId{1}, nullptr, ProcessId{}},
      RankContext{RankId{2}, nullptr, ProcessId{}}, RankContext{RankId{3}, nullptr, ProcessId{}}};
};

TEST_F(StealSlotsTest, WhatNobodyTookComesBack) {
  steal_slots_.lay(1, rank(2));
  EXPECT_EQ(steal_slots_.clear(0).rank, nullptr);
  const StealSlots::Cleared cleared = steal_slots_.clear(1);
  EXPECT_EQ(cleared.rank, &rank(2));
  EXPECT_FALSE(cleared.taken);
  EXPECT_EQ(steal_slots_.take(5), nullptr);
}

TEST_F(StealSlotsTest, WhatWasTakenIsTakenOnceAndByWhomIsKnown) {
  steal_slots_.lay(0, rank(0));
  steal_slots_.lay(1, rank(1));
  EXPECT_EQ(steal_slots_.take(0), &rank(0));
  EXPECT_EQ(steal_slots_.take(7), &rank(1));
  EXPECT_EQ(steal_slots_.take(7), nullptr);
  const StealSlots::Cleared first = steal_slots_.clear(0);
  const StealSlots::Cleared second = steal_slots_.clear(1);
  EXPECT_EQ(first.rank, &rank(0));
  EXPECT_TRUE(first.taken);
  EXPECT_EQ(first.taker, 0U);
  EXPECT_TRUE(second.taken);
  EXPECT_EQ(second.taker, 7U);
  EXPECT_EQ(steal_slots_.clear(0).rank, nullptr);
}

TEST_F(StealSlotsTest, OneOfManyHasEachRank) {
  constexpr int kRounds = 20000;
  std::atomic<bool> over = false;
  std::array<int, 2> had = {};  // what each taker says
  std::vector<std::thread> takers;
  for (std::uint32_t taker = 0; taker < had.size(); ++taker) {
    takers.emplace_back([&, taker] {
      while (!over) {
        had[taker] += steal_slots_.take(taker) != nullptr ? 1 : 0;
      }
    });
  }
  std::array<int, 2> taken = {};  // what the owner says
  int back = 0;
  for (int round = 0; round < kRounds; ++round) {
    steal_slots_.lay(0, rank(0));
    steal_slots_.lay(3, rank(1));
    std::this_thread::yield();
    for (const std::size_t place : {0U, 3U}) {
      const StealSlots::Cleared cleared = steal_slots_.clear(place);
      ++(cleared.taken ? taken.at(cleared.taker) : back);
    }
  }
  over = true;
  for (std::thread& taker : takers) {
    taker.join();
  }
  EXPECT_EQ(had, taken);
  EXPECT_EQ(had[0] + had[1] + back, 2 * kRounds);
}

}  // namespace
}  // namespace weft::runtime
