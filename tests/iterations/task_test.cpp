// What a task asks of its workers, and what rank 0 predicts.
#include "iterations/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(Root, AssumesTheSpeedOfGroupsThatHaveNotReported) {
  Root root({.checkpoint_seconds = 300, .max_deviation = 0.1, .min_seconds = 0}, RangeSet(0, 1000), {1, 1});
  DownMessages down;
  root.receive(0, {}, 0.0, down);
  root.receive(1, {}, 0.0, down);
  EXPECT_LT(root.task().prediction().seconds_left, 0) << "nothing is known yet";
  ASSERT_FALSE(down.empty());
  ASSERT_EQ(down[0].to, 0U);
  RangeSet leased = down[0].message.granted;
  Message report;
  report.kind = MessageKind::report;
  report.elapsed = 10;
  report.done = 100;
  report.serial = 1;
  report.batch = leased.take_back(100);
  root.receive(0, report, 10.0, down);
  EXPECT_NEAR(root.task().prediction().seconds_left, 40, 1) << "100 of 1,000 in 10 s by each of two";
}

}  // namespace
}  // namespace weft::iterations
