// Explores the functions of runtime/location/protocol.hpp over all interleavings of a small model, with and without a
// rule left out.
#include <gtest/gtest.h>

#include "tests/runtime/location/protocol_model.hpp"

namespace weft::runtime {
inline namespace location {
namespace model {
namespace {

constexpr Program::Line send(std::uint8_t message) { return {Act::send, message}; }
constexpr Program::Line kReceive{Act::receive, 0};
constexpr Program::Line kStep{Act::step, 0};
constexpr Program::Line kEnd{Act::end, 0};

// Rank 0 sends two messages to rank 1, which answers the first.
Program exchange() {
  return {.ranks = {{{send(0), send(1), kReceive, kEnd}, {kReceive, send(2), kReceive, kEnd}}},
          .senders = {0, 0, 1},
          .receivers = {1, 1, 0}};
}

// All go one way.
Program stream() {
  return {.ranks = {{{send(0), send(1), send(2), kEnd}, {kReceive, kReceive, kReceive, kEnd}}},
          .senders = {0, 0, 0},
          .receivers = {1, 1, 1}};
}

// Rank 2 sends between two messages of rank 0.
Program two_senders() {
  return {.ranks = {{{send(0), send(2), kEnd}, {kReceive, kReceive, kReceive, kEnd}, {send(1), kEnd}}},
          .senders = {0, 2, 0},
          .receivers = {1, 1, 1}};
}

// Both come to a balancing step in the middle.
Program with_step() {
  return {.ranks = {{{send(0), kStep, send(1), kReceive, kEnd}, {kStep, send(2), kReceive, kReceive, kEnd}}},
          .senders = {0, 0, 1},
          .receivers = {1, 1, 0}};
}

exploring::Outcome explore(const Setting& setting) { return exploring::Explorer<Model>(Model(setting)).run(); }

void expect_right(const Setting& setting) {
  const exploring::Outcome outcome = explore(setting);
  EXPECT_EQ(outcome.wrong, "") << outcome.text();
  EXPECT_GT(outcome.states, 10'000U);
}

// Prints the schedule, for a person who wants to know why there is the rule.
void expect_wrong(const Setting& setting, const char* what) {
  const exploring::Outcome outcome = explore(setting);
  EXPECT_EQ(outcome.wrong, what);
  EXPECT_GE(outcome.schedule.size(), 5U);
  fmt::print("{}", outcome.text());
}

TEST(LocationProtocol, RanksAreExposedAndStolen) {
  expect_right({.program = stream(), .homes = {0, 1}, .exposures = 1, .closings = 1});
  expect_right({.program = exchange(), .homes = {0, 0}, .exposures = 2});
}

TEST(LocationProtocol, RanksAreGivenAway) {
  expect_right({.program = exchange(), .homes = {0, 1}, .gifts = 2, .closings = 1});
  expect_right({.program = stream(), .homes = {0, 1}, .exposures = 1, .gifts = 1});
}

TEST(LocationProtocol, RanksMoveInAStep) {
  expect_right({.program = with_step(), .homes = {0, 1}, .exposures = 1});
  expect_right({.program = with_step(), .homes = {0, 0}, .gifts = 1, .closings = 1});
}

TEST(LocationProtocol, SeveralRanksSendToOne) {
  expect_right({.program = two_senders(), .homes = {0, 1, 2}, .has_queue = {false, true}, .gifts = 1});
}

// What df19634 mended.
TEST(LocationProtocol, WithoutTheInboxAfterAStealMessagesOvertake) {
  expect_wrong({.program = stream(), .homes = {0, 1}, .exposures = 1, .left_out = LeftOut::inbox_after_steal},
               "a message has overtaken an older one of its sender");
}

TEST(LocationProtocol, WithoutTheWaitForPostsMessagesStayBehind) {
  expect_wrong({.program = stream(), .homes = {0, 1}, .exposures = 1, .left_out = LeftOut::wait_for_posts},
               "message 0 does not follow its receiver");
}

TEST(LocationProtocol, WithoutTheAsymmetricFenceMessagesStayBehind) {
  expect_wrong({.program = stream(), .homes = {0, 1}, .exposures = 1, .left_out = LeftOut::asymmetric_fence},
               "message 0 does not follow its receiver");
}

TEST(LocationProtocol, WithoutTheQueueOfAStolenRankItsMailIsLost) {
  expect_wrong({.program = stream(), .homes = {0, 1}, .exposures = 1, .left_out = LeftOut::queue_of_stolen},
               "message 0 lies where its receiver's worker does not look for it");
}

TEST(LocationProtocol, WithoutTheQueueBeforeASendMessagesOvertake) {
  expect_wrong({.program = two_senders(),
                .homes = {0, 1, 2},
                .has_queue = {false, true},
                .gifts = 1,
                .left_out = LeftOut::queue_before_send},
               "a message has overtaken an older one of its sender");
}

}  // namespace
}  // namespace model
}  // namespace location
}  // namespace weft::runtime
