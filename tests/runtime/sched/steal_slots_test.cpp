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
  StealSlots slots_;

 private:
  std::array<RankContext, 4> ranks_{
      RankContext{RankId{0}, nullptr, ProcessId{}}, RankContext{RankId{1}, nullptr, ProcessId{}},
      RankContext{RankId{2}, nullptr, ProcessId{}}, RankContext{RankId{3}, nullptr, ProcessId{}}};
};

TEST_F(StealSlotsTest, WhatNobodyStoleComesBack) {
  slots_.put(1, rank(2));
  EXPECT_EQ(slots_.withdraw(0), nullptr);
  EXPECT_EQ(slots_.withdraw(1), &rank(2));
  EXPECT_EQ(slots_.steal(), nullptr);
}

TEST_F(StealSlotsTest, WhatWasStolenIsStolenOnce) {
  slots_.put(0, rank(0));
  slots_.put(1, rank(1));
  EXPECT_EQ(slots_.steal(), &rank(0));
  EXPECT_EQ(slots_.steal(), &rank(1));
  EXPECT_EQ(slots_.steal(), nullptr);
  EXPECT_EQ(slots_.withdraw(0), nullptr);
  EXPECT_EQ(slots_.withdraw(1), nullptr);
}

TEST_F(StealSlotsTest, OneOfManyGetsEachRank) {
  constexpr int kRounds = 20000;
  std::atomic<bool> over = false;
  std::array<int, 2> stolen = {};  // by each thief
  std::vector<std::thread> thieves;
  for (std::size_t thief = 0; thief < stolen.size(); ++thief) {
    thieves.emplace_back([&, thief] {
      while (!over) {
        stolen[thief] += slots_.steal() != nullptr ? 1 : 0;
      }
    });
  }
  int missing = 0;
  for (int round = 0; round < kRounds; ++round) {
    slots_.put(0, rank(0));
    slots_.put(3, rank(1));
    std::this_thread::yield();
    for (const std::size_t slot : {0U, 3U}) {
      missing += slots_.withdraw(slot) == nullptr ? 1 : 0;
    }
  }
  over = true;
  for (std::thread& thief : thieves) {
    thief.join();
  }
  EXPECT_EQ(stolen[0] + stolen[1], missing);
}

}  // namespace
}  // namespace weft::runtime
