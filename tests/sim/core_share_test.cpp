// A core that other threads use: time slices, which do not pass while the worker sleeps, and quotas by period.
#include "sim/core_share.hpp"

#include <gtest/gtest.h>

namespace weft::sim::test {
namespace {

// One other thread, time slices of 4 s.
CoreShare beside_one(Seconds from = 0.0) {
  return {1.0, {{.from = from, .share = 0.5, .period = 8.0, .others = true}}};
}

TEST(CoreShare, BesideAnotherThreadTimeSlicesTakeTurns) {
  CoreShare core = beside_one();
  EXPECT_DOUBLE_EQ(core.finish(0, 3), 3);
  EXPECT_DOUBLE_EQ(core.finish(3, 1), 4);
  EXPECT_DOUBLE_EQ(core.finish(4, 1), 9);  // it is the other's turn first
  EXPECT_DOUBLE_EQ(core.finish(9, 10), 27);
}

TEST(CoreShare, AThreadThatWakesUpHasTheRestOfItsTimeSlice) {
  CoreShare core = beside_one();
  EXPECT_DOUBLE_EQ(core.finish(0, 1), 1);
  EXPECT_DOUBLE_EQ(core.finish(100, 3), 103);
  EXPECT_DOUBLE_EQ(core.finish(200, 1), 205);
}

TEST(CoreShare, EachOfTheOthersHasATimeSlice) {
  CoreShare core(2.0, {{.share = 0.25, .period = 4.0, .others = true}});  // three others, slices of 1 s, speed 2
  EXPECT_DOUBLE_EQ(core.finish(0, 2), 1);
  EXPECT_DOUBLE_EQ(core.finish(1, 4), 9);
}

TEST(CoreShare, TimeSlicesBeginAndEndWithTheOthers) {
  CoreShare core(1.0, {{.from = 2.0, .share = 0.5, .period = 8.0, .others = true}, {.from = 9.0}});
  EXPECT_DOUBLE_EQ(core.finish(0, 10), 13);  // 2 s alone, 4 beside, from 6 to 9 it waits
}

TEST(CoreShare, AQuotaThatIsUsedUpWaitsForTheNextPeriod) {
  CoreShare core(1.0, {{.share = 0.25, .period = 4.0, .is_quota = true}});
  EXPECT_DOUBLE_EQ(core.finish(0, 1), 1);
  EXPECT_DOUBLE_EQ(core.finish(1, 2.5), 12.5);   // from 4 to 5, from 8 to 9
  EXPECT_DOUBLE_EQ(core.finish(15.5, 1), 16.5);  // both periods grant half a second
}

TEST(CoreShare, WhatAQuotaGrantedIsLostWithItsPeriod) {
  CoreShare core(1.0, {{.share = 0.25, .period = 4.0, .is_quota = true}});
  EXPECT_DOUBLE_EQ(core.finish(3.5, 1), 4.5);
  EXPECT_DOUBLE_EQ(core.finish(40, 2), 45);
}

TEST(CoreShare, AQuotaLargeEnoughChangesNothing) {
  CoreShare core(1.0, {{.share = 0.5, .period = 4.0, .is_quota = true}});
  for (const Seconds now : {0.0, 4.0, 8.0, 12.0}) {
    EXPECT_DOUBLE_EQ(core.finish(now, 1.9), now + 1.9);
  }
}

TEST(CoreShare, WithoutAPeriodTheShareHoldsAtAllTimes) {
  CoreShare core(1.0, {{.share = 0.5, .others = true}});
  EXPECT_DOUBLE_EQ(core.finish(0, 1), 2);
  EXPECT_DOUBLE_EQ(core.finish(2, 3), 8);
}

TEST(CoreShare, TheThreadHasRunOrWaitedOrSlept) {
  CoreShare core = beside_one(1.0);
  EXPECT_DOUBLE_EQ(core.finish(0, 10), 18);  // alone for 1 s, then two turns of the other
  const lb::ThreadTimes times = core.thread_until(20);
  EXPECT_DOUBLE_EQ(times.ran, 10);
  EXPECT_DOUBLE_EQ(times.waited, 8);
  EXPECT_DOUBLE_EQ(times.slept, 2);
  EXPECT_DOUBLE_EQ(core.core_until(20).idle, 0);  // the other had what was left
}

}  // namespace
}  // namespace weft::sim::test
