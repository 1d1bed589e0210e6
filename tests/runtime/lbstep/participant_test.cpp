// A process's part of a balancing step: every transition, and every event in a state that does not allow it.
#include "runtime/lbstep/participant.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
namespace {

using State = Participant::State;

class Recorded final : public Participant::Actions {
 public:
  bool has_ranks() const override { return ranks; }
  bool begin_step(std::uint64_t step, const StepPlan& /*plan*/) override {
    done.push_back("begin " + std::to_string(step));
    return packs;
  }
  void start_flush() override { done.emplace_back("flush"); }
  bool start_moves(std::uint64_t step) override {
    done.push_back("moves of " + std::to_string(step));
    return moves;
  }
  void install(ProcessId from, MigrationImage image) override {
    done.push_back("install " + std::to_string(image.rank) + " of " + std::to_string(number(from)));
  }
  void note_installed(RankId rank) override { done.push_back("installed " + std::to_string(number(rank))); }
  void send_moves_done() override { done.emplace_back("moves done"); }
  void truncate_files() override { done.emplace_back("cut files"); }
  void end_step(std::uint64_t step) override { done.push_back("end " + std::to_string(step)); }
  void open_for_good() override { done.emplace_back("open for good"); }

  bool ranks = true;
  bool packs = true;  // what begin_step() says of a plan
  bool moves = true;  // and start_moves()
  std::vector<std::string> done;
};

StepPlan plan_that_moves() {
  StepPlan plan;
  plan.moves = true;
  return plan;
}

MigrationImage image_of(std::uint32_t rank) {
  MigrationImage image;
  image.rank = rank;
  return image;
}

struct Process {
  Recorded actions;
  explicit Process(bool resumes = false) : machine(resumes, actions) {}
  Participant machine;

  void go_to(State state) {
    if (state == State::running || state == State::restoring) {
      return;
    }
    if (state == State::disabled) {
      machine.on_disable();
      return;
    }
    const std::vector<std::function<void()>> steps{
        [&] { machine.on_all_arrived(); }, [&] { machine.on_plan(plan_that_moves()); },
        [&] { machine.on_flush_over(); }, [&] { machine.on_moves_done(); }, [&] { machine.on_all_restored(); }};
    for (const auto& step : steps) {
      step();
      if (machine.state() == state) {
        break;
      }
    }
    ASSERT_EQ(machine.state(), state);
    actions.done.clear();
  }
};

constexpr std::array kAll{State::restoring, State::running, State::waiting,    State::flushing,
                          State::moving,    State::moved,   State::truncating, State::disabled};

using Lines = std::vector<std::string>;

TEST(Participant, AStepWithoutMovesIsOverAtOnce) {
  Process it;
  it.go_to(State::waiting);
  it.machine.on_plan(StepPlan{});
  EXPECT_EQ(it.machine.state(), State::running);
  EXPECT_EQ(it.actions.done, (Lines{"begin 1", "end 1"}));
  EXPECT_EQ(it.machine.steps(), 1U);
}

TEST(Participant, AStepWithinTheProcessNeedsNoFlush) {
  Process it;
  it.actions.packs = false;
  it.machine.on_all_arrived();
  it.machine.on_plan(plan_that_moves());
  EXPECT_EQ(it.machine.state(), State::moving);
  it.machine.on_moves_done();
  EXPECT_EQ(it.machine.state(), State::moved);
  it.machine.on_step_over();
  EXPECT_EQ(it.machine.state(), State::running);
  EXPECT_EQ(it.actions.done, (Lines{"begin 1", "moves of 1", "moves done", "end 1"}));
}

TEST(Participant, AStepBetweenProcessesFlushesAndKeepsEarlyImages) {
  Process it;
  it.machine.on_all_arrived();
  it.machine.on_plan(plan_that_moves());
  EXPECT_EQ(it.machine.state(), State::flushing);
  it.machine.on_image(ProcessId{2}, image_of(7));
  EXPECT_EQ(it.actions.done, (Lines{"begin 1", "flush"}));
  it.machine.on_flush_over();
  EXPECT_EQ(it.machine.state(), State::moving);
  it.machine.on_image(ProcessId{1}, image_of(8));
  it.machine.on_installed(RankId{3});
  it.machine.on_moves_done();
  it.machine.on_step_over();
  EXPECT_EQ(it.actions.done, (Lines{"begin 1", "flush", "moves of 1", "install 7 of 2", "install 8 of 1", "installed 3",
                                    "moves done", "end 1"}));
}

TEST(Participant, ACheckpointIsAStepAlthoughNothingMoves) {
  Process it;
  it.go_to(State::waiting);
  StepPlan plan;
  plan.checkpoint = "folder";
  it.machine.on_plan(plan);
  EXPECT_EQ(it.machine.state(), State::flushing);
}

TEST(Participant, AProcessWithoutRanksTakesPartWithoutArriving) {
  Process it;
  it.actions.ranks = false;
  it.actions.moves = false;
  it.machine.on_plan(plan_that_moves());
  it.machine.on_flush_over();
  EXPECT_EQ(it.machine.state(), State::moved);  // nothing leaves or comes
  EXPECT_EQ(it.actions.done, (Lines{"begin 1", "flush", "moves of 1", "moves done"}));
}

TEST(Participant, ARankMayComeBeforeTheCheckpointIsRead) {
  Process it(true);
  it.machine.on_image(ProcessId{1}, image_of(7));
  EXPECT_TRUE(it.actions.done.empty());
  it.machine.resume(5);
  EXPECT_EQ(it.actions.done, (Lines{"install 7 of 1"}));
}

TEST(Participant, ComesOutOfTheStepThatACheckpointWasWrittenIn) {
  Process it(true);
  it.machine.resume(5);
  it.machine.on_moves_done();
  it.machine.on_all_restored();
  it.machine.on_files_truncated();
  it.machine.on_step_over();
  it.machine.on_all_arrived();
  it.machine.on_plan(StepPlan{});
  EXPECT_EQ(it.actions.done, (Lines{"moves done", "cut files", "moves done", "end 5", "begin 6", "end 6"}));
}

TEST(Participant, ADisabledOneMakesNoSteps) {
  for (const State state : {State::running, State::waiting, State::moved, State::disabled}) {
    Process it;
    it.go_to(state);
    it.actions.done.clear();
    it.machine.on_disable();
    EXPECT_EQ(it.machine.state(), State::disabled);
    EXPECT_EQ(it.actions.done, state == State::disabled ? Lines{} : Lines{"open for good"});
    it.actions.done.clear();
    EXPECT_FALSE(it.machine.on_all_arrived());
    it.machine.on_plan(StepPlan{});  // was under way
    it.machine.on_step_over();       // the same
    EXPECT_EQ(it.machine.state(), State::disabled);
    EXPECT_TRUE(it.actions.done.empty());
  }
}

TEST(ParticipantDeathTest, RefusesWhatAStateDoesNotAllow) {
  struct Row {
    const char* event;
    std::function<void(Participant&)> call;
    std::vector<State> allowed;
  };
  const std::vector<Row> rows{
      {"all ranks have arrived", [](Participant& p) { p.on_all_arrived(); }, {State::running, State::disabled}},
      {"a plan", [](Participant& p) { p.on_plan(plan_that_moves()); }, {State::waiting}},
      {"the end of the flush", [](Participant& p) { p.on_flush_over(); }, {State::flushing}},
      {"a migration image",
       [](Participant& p) { p.on_image(ProcessId{1}, image_of(1)); },
       {State::restoring, State::flushing, State::moving}},
      {"the news that a rank is installed", [](Participant& p) { p.on_installed(RankId{1}); }, {State::moving}},
      {"the end of all moves", [](Participant& p) { p.on_moves_done(); }, {State::moving}},
      {"the news that all ranks are restored", [](Participant& p) { p.on_all_restored(); }, {State::moved}},
      {"the end of cutting files", [](Participant& p) { p.on_files_truncated(); }, {State::truncating}},
      {"the end of the step", [](Participant& p) { p.on_step_over(); }, {State::moved, State::disabled}},
      {"disable",
       [](Participant& p) { p.on_disable(); },
       {State::running, State::waiting, State::moved, State::disabled}},
      {"the ranks of a checkpoint", [](Participant& p) { p.resume(1); }, {State::restoring}},
  };
  for (const Row& row : rows) {
    for (const State state : kAll) {
      Process it(state == State::restoring);
      it.go_to(state);
      if (std::find(row.allowed.begin(), row.allowed.end(), state) == row.allowed.end()) {
        EXPECT_DEATH(row.call(it.machine), std::string(row.event) + ".* in state");
      } else {
        row.call(it.machine);
      }
    }
  }
}

}  // namespace
}  // namespace weft::runtime
