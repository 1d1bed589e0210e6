// What a task asks of its workers, and what rank 0 predicts.
#include "iterations/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "iterations/roles.hpp"

namespace weft::iterations {
namespace {

// Of two workers with an index each the second has done its own, and the first is at work on the last one.
class LastIndex : public testing::Test {
 protected:
  LastIndex() {
    task_.supply(RangeSet(0, 2));
    tell(0, MessageKind::start);
    tell(1, MessageKind::start);
    tell(1, MessageKind::finish, RangeSet(0, 1));  // indices are leased from the end
    task_.credit(1, 0.0, down_);
    tell(0, MessageKind::report, {}, 0.001);  // it was asked for one
  }

  void tell(std::size_t worker, MessageKind kind, RangeSet batch = {}, double now = 0.0) {
    Message message;
    message.kind = kind;
    message.serial = batch.empty() ? 0 : 1;
    message.grants = kind == MessageKind::start ? 0 : 1;
    message.batch = std::move(batch);
    EXPECT_TRUE(task_.receive(worker, message, now, down_));
    task_.balance(2, now, down_);
  }

  // Whether the task asks the first worker for a report; it has nothing to hand back.
  bool asks(double now) {
    down_.clear();
    task_.balance(2, now, down_);
    const bool asks = std::ranges::any_of(down_, [](const DownMessage& sent) {
      return sent.to == 0 && sent.message.kind == MessageKind::require_report;
    });
    if (asks) {
      tell(0, MessageKind::report, {}, now + 0.001);
    }
    return asks;
  }

  DownMessages down_;
  Task task_{{.checkpoint_seconds = 300, .max_deviation = 0.1, .min_seconds = 0}, {1, 1}, false};
};

TEST_F(LastIndex, IsAskedForLessAndLessOften) {
  ASSERT_EQ(task_.leased(), 1);
  int times = 0;
  for (int step = 1; step <= 10000; ++step) {
    times += asks(0.01 * step) ? 1 : 0;
  }
  EXPECT_GE(times, 3);
  EXPECT_LE(times, 20);  // 100 seconds are 17 doublings of the millisecond that an answer takes
}

// A root with two groups of one worker and 1,000 indices.
class RootOfTwo : public testing::Test {
 protected:
  RootOfTwo() {
    root_.receive(0, {}, 0.0, down_);
    root_.receive(1, {}, 0.0, down_);
  }

  // The group has done so many of its indices in the last 10 seconds.
  void report(std::size_t group, double now, Index progress = 100) {
    for (const DownMessage& sent : std::exchange(down_, {})) {
      leased_[sent.to].add(sent.message.granted);
    }
    Message report;
    report.kind = MessageKind::report;
    report.elapsed = 10;
    report.progress = static_cast<double>(progress);
    report.done = static_cast<double>(done_[group] += progress);
    report.serial = ++serials_[group];
    report.batch = leased_[group].take_back(progress);
    root_.receive(group, report, now, down_);
  }
  [[nodiscard]] double seconds_left() const { return root_.task().prediction().seconds_left; }

  Root root_{{.checkpoint_seconds = 10, .max_deviation = 0.1, .min_seconds = 0}, RangeSet(0, 1000), {1, 1}};
  DownMessages down_;
  std::array<RangeSet, 2> leased_;
  std::array<Index, 2> serials_{}, done_{};
};

TEST_F(RootOfTwo, AssumesTheSpeedOfGroupsThatHaveNotReported) {
  EXPECT_LT(seconds_left(), 0) << "nothing is known yet";
  report(0, 10);
  EXPECT_NEAR(seconds_left(), 40, 1) << "100 of 1,000 in 10 s by each of two";
}

TEST_F(RootOfTwo, PredictsFromTheMeanOfSpeeds) {
  report(0, 10);
  report(1, 10);
  report(0, 20, 50);
  report(1, 20, 50);
  EXPECT_NEAR(seconds_left(), 700 / (2 * 6.887), 0.5) << "two measures in a memory of 20 s, of 10 and 5 per second";
}

TEST_F(RootOfTwo, PredictsWithoutAGroupThatIsSilent) {
  report(0, 10);
  report(1, 10);
  EXPECT_NEAR(seconds_left(), 40, 1);
  for (int second = 11; second <= 45; ++second) {
    root_.tick(second, down_);
    if (second % 10 == 0) {
      report(0, second);
    }
  }
  EXPECT_EQ(root_.task().times_silent(), 1);
  EXPECT_NEAR(seconds_left(), 50, 2) << "400 and 100 are done, the rest by one";
}

}  // namespace
}  // namespace weft::iterations
