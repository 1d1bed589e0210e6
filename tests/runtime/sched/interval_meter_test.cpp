// How an interval meter measures the use of a worker's core. The clocks are made up.
#include "runtime/sched/interval_meter.hpp"

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

struct Second {
  double ran, slept, waited, core_idle, stolen = 0, blocked = 0;
};

// Intervals of one second each.
class Clocks {
 public:
  Clocks() { interval_.begin(now_, &core_); }
  trace::WorkerInterval next(const Second& second, bool bound = true) {
    now_.at += 1;
    now_.ran += second.ran;
    now_.slept += second.slept;
    now_.waited += second.waited;
    now_.blocked += second.blocked;
    core_.idle += second.core_idle;
    core_.stolen += second.stolen;
    return interval_.next(now_, &core_, bound);
  }

 private:
  WorkerTimes now_{.at = 1000, .ran = 10, .slept = 5, .blocked = 1, .waited = 2};
  CoreTimes core_{.idle = 77, .stolen = 3};
  WorkerIntervalMeter interval_;
};

TEST(Interval, AWorkerThatIsAloneHasNoBackground) {
  Clocks clocks;
  const trace::WorkerInterval interval = clocks.next({.ran = 0.7, .slept = 0.3, .waited = 0.001, .core_idle = 0.3});
  EXPECT_DOUBLE_EQ(interval.wall, 1);
  EXPECT_NEAR(interval.ran, 0.7, 1e-9);
  EXPECT_NEAR(interval.background, 0, 0.002);
  EXPECT_NEAR(interval.contended, 0, 0.002);
  EXPECT_EQ(interval.speed, 1);
}

TEST(Interval, WhatAHogTakesFromABusyWorkerIsBackground) {
  Clocks clocks;
  const trace::WorkerInterval interval = clocks.next({.ran = 0.4, .slept = 0, .waited = 0.6, .core_idle = 0});
  EXPECT_NEAR(interval.background, 0.6, 1e-9);
  EXPECT_NEAR(interval.contended, 0.6, 1e-9);
  EXPECT_EQ(interval.speed, 1);
}

// Half a tick of the system's clock at either end must not hide what the thread's own wait says.
TEST(Interval, TheThreadsWaitCorrectsTheTicks) {
  Clocks clocks;
  const trace::WorkerInterval interval = clocks.next({.ran = 0.4, .slept = 0, .waited = 0.6, .core_idle = 0.02});
  EXPECT_NEAR(interval.background, 0.6, 1e-9);
  EXPECT_EQ(interval.speed, 1);
}

// Eq. 2 counts all that the hog had; of what it had while the worker slept it would keep its share only.
TEST(Interval, AHogThatFillsThePausesWouldNotKeepThem) {
  Clocks clocks;
  const trace::WorkerInterval interval = clocks.next({.ran = 0.25, .slept = 0.5, .waited = 0.25, .core_idle = 0});
  EXPECT_NEAR(interval.background, 0.75, 1e-9);
  EXPECT_NEAR(interval.contended, 0.25 + 0.5 * 0.5, 0.01);
}

TEST(Interval, WhatTheHypervisorTakesIsBackground) {
  Clocks clocks;
  const trace::WorkerInterval interval =
      clocks.next({.ran = 0.8, .slept = 0, .waited = 0, .core_idle = 0, .stolen = 0.2});
  EXPECT_NEAR(interval.background, 0.2, 1e-9);
  EXPECT_NEAR(interval.stolen, 0.2, 1e-9);
  EXPECT_EQ(interval.speed, 1);
}

// The core is idle while the worker would run: a quota, whether the system counts that as waiting or not.
TEST(Interval, AQuotaLowersTheSpeed) {
  for (const double waited : {0.0, 0.5}) {
    Clocks clocks;
    const trace::WorkerInterval interval = clocks.next({.ran = 0.5, .slept = 0, .waited = waited, .core_idle = 0.5});
    EXPECT_NEAR(interval.background, 0, 1e-9) << waited;
    EXPECT_NEAR(interval.speed, 0.5, 1e-9) << waited;
  }
}

TEST(Interval, AQuotaThatIsNotUsedUpIsForgottenSlowly) {
  Clocks clocks;
  clocks.next({.ran = 0.5, .slept = 0, .waited = 0, .core_idle = 0.5});
  const double soon = clocks.next({.ran = 0.3, .slept = 0.7, .waited = 0, .core_idle = 0.7}).speed;
  EXPECT_GT(soon, 0.5);
  EXPECT_LT(soon, 0.6);
  EXPECT_NEAR(clocks.next({.ran = 0.9, .slept = 0.1, .waited = 0, .core_idle = 0.1}).speed, 0.9, 1e-9);
}

TEST(Interval, AWaitForAFileIsNeitherBackgroundNorAQuota) {
  Clocks clocks;
  const trace::WorkerInterval interval =
      clocks.next({.ran = 0.5, .slept = 0, .waited = 0, .core_idle = 0.5, .blocked = 0.5});
  EXPECT_NEAR(interval.background, 0, 1e-9);
  EXPECT_EQ(interval.speed, 1);
}

TEST(Interval, WithoutACoreOfItsOwnAWorkerBlamesNobody) {
  Clocks clocks;
  const trace::WorkerInterval interval = clocks.next({.ran = 0.2, .slept = 0, .waited = 0.8, .core_idle = 0}, false);
  EXPECT_NEAR(interval.ran, 0.2, 1e-9);
  EXPECT_EQ(interval.background, 0);
  EXPECT_EQ(interval.speed, 1);
}

// Steps every ten milliseconds: the system's ticks are too coarse for one interval, so a longer sample counts.
TEST(Interval, ShortWindowsUseALongerStretch) {
  WorkerIntervalMeter interval;
  WorkerTimes now{.at = 1};
  CoreTimes core;
  interval.begin(now, &core);
  trace::WorkerInterval load;
  for (int i = 1; i <= 60; ++i) {
    now.at += 0.01;
    now.ran += 0.004;
    now.slept += 0.006;  // in which the hog runs
    if (i % 10 == 0) {
      load = interval.next(now, &core, true);
    } else {
      load = interval.next(now, nullptr, true);
    }
  }
  EXPECT_NEAR(load.wall, 0.01, 1e-9);
  EXPECT_NEAR(load.background, 0.006, 1e-9);
}

TEST(CoreTimes, AreReadFromTheSystemsText) {
  const CoreTable table = parse_core_times(
      "cpu  1 2 3 400 5 6 7 8 9 10\ncpu0 1 2 3 200 5 6 7 8 9 10\ncpu12 0 0 0 100 0\nintr 5\ncpux 1 2\n", 0.01);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_DOUBLE_EQ(table.at(0).idle, 2.05);
  EXPECT_DOUBLE_EQ(table.at(0).stolen, 0.08);
  EXPECT_DOUBLE_EQ(table.at(12).idle, 1.0);
  EXPECT_DOUBLE_EQ(table.at(12).stolen, 0);
}

TEST(CoreTimes, OfThisMachineGrow) {
  constexpr double kTick = 0.0101;  // by which a core may go over from waiting for disks to nothing at all
  const CoreTable before = read_core_times();
  ASSERT_FALSE(before.empty());
  for (const auto& [core, times] : read_core_times()) {
    EXPECT_GE(times.idle, before.at(core).idle - kTick) << core;
  }
}

}  // namespace
}  // namespace weft::runtime
