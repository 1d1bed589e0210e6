// The flush of a balancing step: every transition, and every event in a state that does not allow it.
#include "runtime/lbstep/flush.hpp"

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

using State = Flush::State;

constexpr std::uint32_t kProcesses = 3;

class Recorded final : public Flush::Actions {
 public:
  void send_marker(bool second) override { done.emplace_back(second ? "second marker" : "first marker"); }
  void fence_inboxes() override { done.emplace_back("fence"); }
  bool reads_under_way() const override { return reads; }
  void flush_over() override { done.emplace_back("over"); }

  bool reads = false;
  std::vector<std::string> done;
};

struct Flushing {
  Recorded actions;
  Flush flush{kProcesses, actions};

  void markers(bool second, std::uint32_t count = kProcesses) {
    for (std::uint32_t i = 0; i < count; ++i) {
      flush.on_marker(second);
    }
  }
  // Drives the flush to this state in the fewest steps.
  void go_to(State state) {
    const std::vector<std::function<void()>> steps{[&] { flush.start(); }, [&] { markers(false); },
                                                   [&] { flush.on_inboxes_empty(); }, [&] { markers(true); }};
    for (const auto& step : steps) {
      if (flush.state() == state) {
        return;
      }
      step();
    }
    ASSERT_EQ(flush.state(), state);
  }
};

TEST(Flush, GoesThroughAllStatesTwice) {
  Flushing it;
  for (int round = 0; round < 2; ++round) {
    it.actions.done.clear();
    EXPECT_EQ(it.flush.state(), State::idle);
    it.flush.start();
    EXPECT_EQ(it.flush.state(), State::messages);
    it.markers(false, kProcesses - 1);
    EXPECT_EQ(it.flush.state(), State::messages);
    it.markers(false, 1);
    EXPECT_EQ(it.flush.state(), State::inboxes);
    it.flush.on_inboxes_empty();
    EXPECT_EQ(it.flush.state(), State::answers);
    it.markers(true, kProcesses - 1);
    EXPECT_EQ(it.flush.state(), State::answers);
    it.markers(true, 1);
    EXPECT_EQ(it.flush.state(), State::last_inboxes);
    it.flush.on_inboxes_empty();
    EXPECT_EQ(it.flush.state(), State::idle);
    EXPECT_EQ(it.actions.done, (std::vector<std::string>{"first marker", "fence", "second marker", "fence", "over"}));
  }
}

TEST(Flush, TakesMarkersOfProcessesThatAreAhead) {
  Flushing it;
  it.markers(false, kProcesses - 1);  // before it has begun itself
  it.flush.start();
  it.markers(true, kProcesses - 1);  // they have all first markers
  EXPECT_EQ(it.flush.state(), State::messages);
  it.markers(false, 1);
  it.flush.on_inboxes_empty();
  EXPECT_EQ(it.flush.state(), State::answers);
  it.markers(true, 1);
  EXPECT_EQ(it.flush.state(), State::last_inboxes);
}

TEST(Flush, WaitsForPayloadsThatAreStillRead) {
  Flushing it;
  it.go_to(State::inboxes);
  it.actions.reads = true;
  it.flush.on_reads_ended();  // the inboxes are not empty
  EXPECT_EQ(it.flush.state(), State::inboxes);
  it.flush.on_inboxes_empty();
  EXPECT_EQ(it.flush.state(), State::inboxes);
  it.actions.reads = false;
  it.flush.on_reads_ended();
  EXPECT_EQ(it.flush.state(), State::answers);
}

TEST(Flush, ReadsThatEndAtOtherTimesChangeNothing) {
  for (const State state : {State::idle, State::messages, State::inboxes, State::answers, State::last_inboxes}) {
    Flushing it;
    it.go_to(state);
    it.flush.on_reads_ended();
    EXPECT_EQ(it.flush.state(), state);
  }
}

TEST(FlushDeathTest, RefusesWhatAStateDoesNotAllow) {
  struct Row {
    State state;
    std::function<void(Flush&)> event;
    const char* message;
  };
  const auto start = [](Flush& flush) { flush.start(); };
  const auto first = [](Flush& flush) { flush.on_marker(false); };
  const auto second = [](Flush& flush) { flush.on_marker(true); };
  const auto empty = [](Flush& flush) { flush.on_inboxes_empty(); };
  for (const Row& row :
       {Row{State::messages, start, "start in state messages"}, Row{State::inboxes, start, "start in state inboxes"},
        Row{State::answers, start, "start in state answers"},
        Row{State::last_inboxes, start, "start in state last_inboxes"},
        Row{State::inboxes, first, "first marker in state inboxes"},
        Row{State::answers, first, "first marker in state answers"},
        Row{State::last_inboxes, first, "first marker in state last_inboxes"},
        Row{State::idle, second, "second marker in state idle"},
        Row{State::last_inboxes, second, "second marker in state last_inboxes"},
        Row{State::idle, empty, "inboxes empty in state idle"},
        Row{State::messages, empty, "inboxes empty in state messages"},
        Row{State::answers, empty, "inboxes empty in state answers"}}) {
    Flushing it;
    it.go_to(row.state);
    EXPECT_DEATH(row.event(it.flush), row.message);
  }
  Flushing full;
  full.markers(false);
  EXPECT_DEATH(full.flush.on_marker(false), "too many first markers");
}

}  // namespace
}  // namespace weft::runtime
