#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "sim/core_share.hpp"
#include "sim/event_queue.hpp"

namespace weft::sim {
namespace {

TEST(EventQueue, GivesEventsInTheOrderOfTheirTimesAndThenOfTheirComing) {
  std::mt19937 random(7);
  EventQueue queue;
  std::vector<std::pair<double, std::uint32_t>> expected;
  std::vector<std::pair<double, std::uint32_t>> taken;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    const auto time = static_cast<double>(random() % 100);
    queue.add(time, SimEventKind::wake, i);
    expected.emplace_back(time, i);
  }
  std::ranges::stable_sort(expected, {}, &std::pair<double, std::uint32_t>::first);
  while (!queue.empty()) {
    EXPECT_EQ(queue.next_time(), expected[taken.size()].first);
    const Event event = queue.pop();
    taken.emplace_back(event.time, event.target);
  }
  EXPECT_EQ(taken, expected);
}

TEST(EventQueue, EventsMayComeWhileOthersGo) {
  EventQueue queue;
  queue.add(2, SimEventKind::wake, 2);
  queue.add(1, SimEventKind::wake, 1);
  EXPECT_EQ(queue.pop().target, 1U);
  queue.add(1.5, SimEventKind::retry, 3);
  EXPECT_EQ(queue.pop().target, 3U);
  EXPECT_EQ(queue.pop().target, 2U);
  EXPECT_TRUE(queue.empty());
}

TEST(CoreShare, AWorkerThatNobodyHindersHasItsSpeed) {
  CoreShare core(2.0, {});
  EXPECT_EQ(core.finish(10, 3), 11.5);
  const lb::ThreadTimes times = core.thread_until(20);
  EXPECT_EQ(times.ran, 1.5);
  EXPECT_EQ(times.slept, 18.5);
  EXPECT_EQ(times.waited, 0);
  EXPECT_EQ(core.core_until(20).idle, 18.5);
}

TEST(CoreShare, OthersLeaveNothingIdle) {
  CoreShare core(1.0, {{.from = 2, .share = 0.5, .others = true}, {.from = 6, .share = 1.0}});
  EXPECT_EQ(core.finish(1, 2), 4);  // one second alone, one shared
  EXPECT_EQ(core.thread_until(8).ran, 2);
  EXPECT_EQ(core.thread_until(8).waited, 1);
  EXPECT_EQ(core.thread_until(8).slept, 5);
  EXPECT_EQ(core.core_until(8).idle, 3);  // the first second, and the last two
}

TEST(CoreShare, AQuotaLeavesTheCoreIdle) {
  CoreShare core(1.0, {{.from = 0, .share = 0.25}});
  EXPECT_EQ(core.finish(0, 2), 8);
  EXPECT_EQ(core.thread_until(8).waited, 6);
  EXPECT_EQ(core.core_until(8).idle, 6);
}

}  // namespace
}  // namespace weft::sim
