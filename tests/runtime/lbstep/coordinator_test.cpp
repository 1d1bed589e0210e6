// Process 0's part of a balancing step: every transition, and every event in a state that does not allow it.
#include "runtime/lbstep/coordinator.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
namespace {

using State = Coordinator::State;
using Next = Coordinator::Next;
using Outcome = Coordinator::Outcome;
using Lines = std::vector<std::string>;

constexpr std::uint32_t kRanks = 10;
constexpr std::uint32_t kProcesses = 2;

class Recorded final : public Coordinator::Actions {
 public:
  void begin_gathering() override { done.emplace_back("begin"); }
  void add_arrival(const StepArrival& arrival) override { done.push_back("add " + std::to_string(arrival.live)); }
  Next next() override { return what_next; }
  void measure_links() override { done.emplace_back("measure"); }
  void post_decision() override { done.emplace_back("post decision"); }
  void add_sums(StepSums& /*sums*/) override { done.emplace_back("add sums"); }
  Outcome make_plan(std::uint64_t step) override {
    done.push_back("plan of " + std::to_string(step));
    return outcome;
  }
  void send_plan() override { done.emplace_back("send plan"); }
  void add_part(const CheckpointPart& /*part*/) override { done.emplace_back("add part"); }
  void moves_over() override { done.emplace_back("moves over"); }
  void post_publication() override { done.emplace_back("publish"); }
  void send_all_restored() override { done.emplace_back("all restored"); }
  void send_step_over() override { done.emplace_back("step over"); }
  void send_disable() override { done.emplace_back("disable"); }

  Next what_next = Next::decide_now;
  Outcome outcome = Outcome::ranks_move;
  Lines done;
};

StepArrival arrival_of(std::uint32_t ranks) {
  StepArrival arrival;
  arrival.live = ranks;
  return arrival;
}

struct Job0 {
  Recorded actions;
  Coordinator machine{kRanks, kProcesses, false, actions};

  void all_arrive() { machine.on_arrival(arrival_of(kRanks)); }
  void all_moves_done() {
    for (std::uint32_t p = 0; p < kProcesses; ++p) {
      machine.on_moves_done();
    }
  }
  void go_to(State state) {
    switch (state) {
      case State::restoring:
      case State::gathering:
        break;
      case State::measuring:
        actions.what_next = Next::measure_links;
        all_arrive();
        break;
      case State::deciding:
        actions.what_next = Next::decide_later;
        all_arrive();
        break;
      case State::moving:
      case State::publishing:
        actions.outcome = Outcome::ranks_are_saved;
        all_arrive();
        if (state == State::publishing) {
          all_moves_done();
        }
        break;
      case State::disabled:
        machine.on_disable();
        break;
    }
    ASSERT_EQ(machine.state(), state);
    actions.done.clear();
  }
};

constexpr std::array kAll{State::gathering, State::measuring,  State::deciding,
                          State::moving,    State::publishing, State::disabled};

TEST(Coordinator, DecidesOnceAllRanksHaveArrived) {
  Job0 it;
  it.machine.on_arrival(arrival_of(4));
  EXPECT_EQ(it.machine.state(), State::gathering);
  it.machine.on_arrival(arrival_of(6));
  EXPECT_EQ(it.machine.state(), State::moving);
  it.machine.on_moves_done();
  EXPECT_EQ(it.machine.state(), State::moving);
  it.machine.on_moves_done();
  EXPECT_EQ(it.machine.state(), State::gathering);
  EXPECT_EQ(it.actions.done, (Lines{"begin", "add 4", "add 6", "plan of 1", "send plan", "moves over", "step over"}));
}

TEST(Coordinator, GathersAgainAtOnceIfNothingMoves) {
  Job0 it;
  it.actions.outcome = Outcome::nothing_moves;
  it.all_arrive();
  it.all_arrive();
  EXPECT_EQ(it.machine.state(), State::gathering);
  EXPECT_EQ(it.actions.done,
            (Lines{"begin", "add 10", "plan of 1", "send plan", "begin", "add 10", "plan of 2", "send plan"}));
}

TEST(Coordinator, MeasuresAndDecidesOnTheMainThread) {
  Job0 it;
  it.actions.what_next = Next::measure_links;
  it.all_arrive();
  EXPECT_EQ(it.machine.state(), State::measuring);
  it.machine.on_links_known();
  EXPECT_EQ(it.machine.state(), State::deciding);
  it.machine.decide();
  EXPECT_EQ(it.machine.state(), State::moving);
  EXPECT_EQ(it.actions.done, (Lines{"begin", "add 10", "measure", "post decision", "plan of 1", "send plan"}));
}

TEST(Coordinator, TakesAStepThatHasBeenWorkedOutInParts) {
  Job0 it;
  StepSums sums;
  it.machine.on_sums(sums);
  EXPECT_EQ(it.machine.state(), State::moving);
  EXPECT_EQ(it.actions.done, (Lines{"add sums", "plan of 1", "send plan"}));
}

TEST(Coordinator, PublishesACheckpointBeforeTheStepIsOver) {
  Job0 it;
  it.actions.outcome = Outcome::ranks_are_saved;
  it.all_arrive();
  it.actions.done.clear();
  it.machine.on_part(CheckpointPart{});
  it.machine.on_moves_done();
  it.machine.on_part(CheckpointPart{});
  it.machine.on_moves_done();
  EXPECT_EQ(it.machine.state(), State::publishing);
  it.machine.on_published();
  EXPECT_EQ(it.machine.state(), State::gathering);
  EXPECT_EQ(it.actions.done, (Lines{"add part", "add part", "moves over", "publish", "step over"}));
}

TEST(Coordinator, ComesOutOfTheStepThatACheckpointWasWrittenIn) {
  Recorded actions;
  Coordinator machine(kRanks, kProcesses, true, actions);
  machine.on_moves_done();  // another process may be faster
  machine.resume(5);
  machine.on_moves_done();
  EXPECT_EQ(actions.done, Lines{"all restored"});
  machine.on_moves_done();
  machine.on_moves_done();
  machine.on_arrival(arrival_of(kRanks));
  EXPECT_EQ(actions.done,
            (Lines{"all restored", "moves over", "step over", "begin", "add 10", "plan of 6", "send plan"}));
}

TEST(CoordinatorDeathTest, TakesNoRanksInBeforeAllAreRestored) {
  Recorded actions;
  Coordinator machine(kRanks, kProcesses, true, actions);
  machine.on_disable_request();
  machine.on_moves_done();
  EXPECT_TRUE(actions.done.empty());
  EXPECT_DEATH(machine.on_arrival(arrival_of(1)), "an arrival in state restoring");
  EXPECT_DEATH(machine.on_part(CheckpointPart{}), "a part of a checkpoint in state restoring");
}

TEST(Coordinator, GrantsARequestToHoldOnceNoStepIsDecided) {
  for (const State state : kAll) {
    Job0 it;
    it.go_to(state);
    it.machine.on_disable_request();
    EXPECT_EQ(it.actions.done, state == State::gathering ? Lines{"disable"} : Lines{});
    EXPECT_EQ(it.machine.state(), state);
  }
  Job0 it;
  it.go_to(State::publishing);
  it.machine.on_disable_request();
  it.machine.on_published();
  EXPECT_EQ(it.actions.done, (Lines{"step over", "disable"}));
  it.machine.on_disable();
  EXPECT_EQ(it.machine.state(), State::disabled);
}

TEST(Coordinator, ADisabledOneDecidesNothing) {
  Job0 it;
  it.machine.on_arrival(arrival_of(4));
  it.machine.on_disable();
  it.actions.done.clear();
  StepSums sums;
  it.machine.on_arrival(arrival_of(6));
  it.machine.on_sums(sums);
  it.machine.on_links_known();
  it.machine.on_disable();
  EXPECT_EQ(it.machine.state(), State::disabled);
  EXPECT_TRUE(it.actions.done.empty());
}

TEST(CoordinatorDeathTest, RefusesWhatAStateDoesNotAllow) {
  struct Row {
    const char* event;
    std::function<void(Coordinator&)> call;
    std::vector<State> allowed;
  };
  StepSums sums;
  const std::vector<Row> rows{
      {"an arrival", [](Coordinator& c) { c.on_arrival(arrival_of(1)); }, {State::gathering, State::disabled}},
      {"a hierarchical step", [&](Coordinator& c) { c.on_sums(sums); }, {State::gathering, State::disabled}},
      {"what messages cost", [](Coordinator& c) { c.on_links_known(); }, {State::measuring, State::disabled}},
      {"a decision", [](Coordinator& c) { c.decide(); }, {State::deciding}},
      {"a part of a checkpoint", [](Coordinator& c) { c.on_part(CheckpointPart{}); }, {State::moving}},
      {"the end of a process's moves", [](Coordinator& c) { c.on_moves_done(); }, {State::moving}},
      {"the end of a checkpoint", [](Coordinator& c) { c.on_published(); }, {State::publishing}},
      {"disable", [](Coordinator& c) { c.on_disable(); }, {State::gathering, State::disabled}},
  };
  for (const Row& row : rows) {
    for (const State state : kAll) {
      Job0 it;
      it.go_to(state);
      if (std::find(row.allowed.begin(), row.allowed.end(), state) == row.allowed.end()) {
        EXPECT_DEATH(row.call(it.machine), std::string(row.event) + " in state");
      } else {
        row.call(it.machine);
      }
    }
  }
  Job0 it;
  EXPECT_DEATH(it.machine.on_arrival(arrival_of(kRanks + 1)), "more ranks than the job has");
  it.actions.outcome = Outcome::ranks_move;
  it.all_arrive();
  EXPECT_DEATH(it.machine.on_part(CheckpointPart{}), "a part of a checkpoint in state moving");
}

}  // namespace
}  // namespace weft::runtime
