// Explores how threads take turns at a worker while it sleeps and is woken: the functions of
// runtime/sched/lock_protocol.hpp and those that they call, with and without a rule left out.
#include "runtime/sched/lock_protocol.hpp"

#include <gtest/gtest.h>

#include "tests/runtime/sched/lock_model.hpp"

namespace weft::runtime {
inline namespace sched {
namespace locking::model {
namespace {

exploring::Outcome explore(const Setting& setting) { return exploring::Explorer<Model>(Model(setting)).run(); }

void expect_right(const Setting& setting) {
  const exploring::Outcome outcome = explore(setting);
  EXPECT_EQ(outcome.wrong, "") << outcome.text();
  EXPECT_GT(outcome.states, 10'000U);
  fmt::print("{}", outcome.text());
}

// Prints the schedule, for a person who wants to know why there is the rule.
void expect_wrong(const Setting& setting, const char* what) {
  const exploring::Outcome outcome = explore(setting);
  EXPECT_EQ(outcome.wrong, what);
  fmt::print("{}", outcome.text());
}

constexpr const char* kForEver = "a thread waits for ever";

TEST(LockProtocol, CallsComeBetweenWhatComesToTheWorker) {
  expect_right({.calls = 2, .items = 2});
  expect_right({.calls = 1, .items = 1, .messages = 1});
}

TEST(LockProtocol, ACallWaitsForAnItem) {
  expect_right({.waits = 1, .items = 2});
  expect_right({.waits = 1, .items = 1, .messages = 1});
}

TEST(LockProtocol, AThreadOfTheWorkerLeavesMpi) {
  expect_right({.programs = 1, .calls = 1, .items = 1});
  expect_right({.programs = 1, .calls = 1, .messages = 1});
  expect_right({.programs = 1, .messages = 2});
}

TEST(LockProtocol, ASignalHandlerEndsARanksSleep) {
  expect_right({.programs = 1, .calls = 1, .signals = 1});
  expect_right({.items = 1, .messages = 1, .signals = 1});
}

TEST(LockProtocol, WithoutTheLookAtTheWord) {
  expect_wrong({.calls = 1, .items = 1, .left_out = LeftOut::look_at_word}, kForEver);
}
TEST(LockProtocol, WithoutTheCountOfWakeups) {
  expect_wrong({.calls = 1, .items = 1, .left_out = LeftOut::count_of_wakeups}, kForEver);
}
TEST(LockProtocol, WithoutTheLookInArm) {
  expect_wrong({.calls = 1, .items = 1, .left_out = LeftOut::look_in_arm}, kForEver);
}
TEST(LockProtocol, WithoutTheLookAtTheTransport) {
  expect_wrong({.messages = 1, .left_out = LeftOut::look_at_transport}, kForEver);
}
TEST(LockProtocol, WithoutTheBellWhileAnotherThreadRests) {
  expect_wrong({.programs = 1, .messages = 2, .left_out = LeftOut::bell_of_other_thread}, kForEver);
}
TEST(LockProtocol, WithoutTheMutex) { expect_wrong({.calls = 1, .items = 1, .left_out = LeftOut::mutex}, kForEver); }

}  // namespace
}  // namespace locking::model
}  // namespace sched
}  // namespace weft::runtime
