// How process 0 finds a deadlock, over all orders in which three processes send each other messages and report that
// nothing runs there.
#include "runtime/termination/idle_search.hpp"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/runtime/explorer.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint32_t kProcesses = 3;
using States = std::array<ReportedState, kProcesses>;

// A former IdleSearch with an error: a process's unsolicited report, while others are asked, does not end the round.
class SearchThatKeepsRounds {
 public:
  using Next = IdleSearch<States>::Next;

  explicit SearchThatKeepsRounds(States states) : states_(states) {}

  Next note(std::uint32_t process, const IdleState& state) {
    ReportedState& known = states_[process];
    const bool is_answer = state.round != 0 && state.round == round_;
    holds_ = holds_ != 0 && (!is_answer || known.equals(state)) ? 1 : 0;
    known = {.is_known = 1, .state = state};
    if (is_answer) {
      if (++answers_ < kProcesses) {
        return Next::wait;
      }
      found_ = holds_;
      if (found_ != 0) {
        return Next::report;
      }
    }
    std::uint64_t under_way = 0;
    for (const ReportedState& its : states_) {
      if (its.is_known == 0) {
        return Next::wait;
      }
      under_way += its.state.sent - its.state.received;
    }
    if (under_way != 0 || holds_ != 0) {
      return Next::wait;
    }
    holds_ = 1;
    answers_ = 0;
    ++round_;
    return Next::ask;
  }
  std::uint64_t round() const { return round_; }
  bool has_found() const { return found_ != 0; }

 private:
  States states_;
  std::uint64_t round_ = 0, answers_ = 0, holds_ = 0, found_ = 0;
};

template <typename T, std::size_t kMost>
class Queue {
 public:
  bool empty() const { return size_ == 0; }
  void push(const T& value) {
    if (size_ == kMost) {
      throw std::length_error("a queue of the model is too short");
    }
    values_[size_++] = value;
  }
  T pop() {
    const T first = values_[0];
    for (std::uint64_t i = 1; i < size_; ++i) {
      values_[i - 1] = values_[i];
    }
    values_[--size_] = {};
    return first;
  }

 private:
  std::array<T, kMost> values_{};
  std::uint64_t size_ = 0;
};

template <typename Search>
class Model {
 public:
  explicit Model(std::uint64_t messages) : search_(States{}), left_(messages) {}

  std::uint32_t choices() const { return kProcesses * kChoices; }
  bool take(std::uint32_t choice) {
    const std::uint32_t me = choice / kChoices;
    Process& process = processes_[me];
    switch (choice % kChoices) {
      case 0:
      case 1:
        return send(me, (me + 1 + choice % kChoices) % kProcesses);
      case 2:
        return receive(process);
      case 3:
        return std::exchange(process.runs, 0) != 0;
      case 4:
        return tell(process);
      case 5:
        return !process.told.empty() && note(me, process.told.pop());
      default:
        return !process.asked.empty() && (process.self.ask(process.asked.pop()), true);
    }
  }
  std::string describe(std::uint32_t choice) const {
    constexpr std::array kNames{"sends a message to the next",
                                "sends a message to the one before",
                                "receives a message",
                                "falls asleep",
                                "looks whether it has something to tell",
                                "is heard by process 0",
                                "is asked"};
    return fmt::format("process {} {}", choice / kChoices, kNames[choice % kChoices]);
  }
  std::string wrong() const {
    for (const Process& process : processes_) {
      if (search_.has_found() && (process.runs != 0 || process.arriving != 0)) {
        return "a deadlock that is none";
      }
    }
    return {};
  }
  std::string wrong_at_end() const { return search_.has_found() ? "" : "nothing runs, and nobody knows"; }

 private:
  static constexpr std::uint32_t kChoices = 7;

  struct Process {
    std::uint64_t runs = 1;
    std::uint64_t arriving = 0;  // messages on their way to it
    std::uint64_t sent = 0, received = 0;
    IdleProcess self;
    Queue<IdleState, 12> told;  // on its way to process 0
    Queue<std::uint64_t, 12> asked;
  };

  bool send(std::uint32_t me, std::uint32_t to) {
    if (processes_[me].runs == 0 || left_ == 0) {
      return false;
    }
    --left_;
    ++processes_[me].sent;
    ++processes_[to].arriving;
    return true;
  }
  static bool receive(Process& process) {
    if (process.arriving == 0) {
      return false;
    }
    --process.arriving;
    ++process.received;
    process.runs = 1;
    return true;
  }
  static bool tell(Process& process) {
    if (process.runs != 0) {
      return false;
    }
    const auto state = process.self.report(process.sent, process.received);
    if (state.has_value()) {
      process.told.push(*state);
    }
    return state.has_value();
  }
  bool note(std::uint32_t process, const IdleState& state) {
    if (search_.note(process, state) == Search::Next::ask) {
      for (Process& asked : processes_) {
        asked.asked.push(search_.round());
      }
    }
    return true;
  }

  Search search_;
  std::array<Process, kProcesses> processes_{};
  std::uint64_t left_;  // messages that may still be sent
};

template <typename Search>
exploring::Outcome explore(std::uint64_t messages) {
  return exploring::Explorer(Model<Search>(messages)).run();
}

TEST(IdleSearch, FindsADeadlockOnlyWhereNothingCanRun) {
  for (std::uint64_t messages = 0; messages <= 3; ++messages) {
    const exploring::Outcome outcome = explore<IdleSearch<States>>(messages);
    EXPECT_EQ(outcome.wrong, "") << outcome.text();
  }
}

TEST(IdleSearch, IsExploredWithWhatGoesWrong) {
  const exploring::Outcome outcome = explore<SearchThatKeepsRounds>(3);
  EXPECT_EQ(outcome.wrong, "a deadlock that is none") << outcome.text();
}

}  // namespace
}  // namespace weft::runtime
