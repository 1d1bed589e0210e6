// How process 0 finds that no process of a job can ever go on (Mattern 1987, four-counter method). Every process has
// reported that nothing runs there, and how many messages it has sent and received; the sums agree; and when asked
// again every process reports the same. Only the search: Termination sends the messages, and a test explores it over
// all orders. The test compares objects of these classes as bytes: all members have 8 bytes, so that there is no
// padding between them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace weft::runtime {
inline namespace termination {

// What a process reports when nothing runs there.
struct IdleState {
  std::uint64_t round = 0;  // in which it was asked; 0: it reports of its own accord
  std::uint64_t sent = 0;   // messages of this process since the job began
  std::uint64_t received = 0;

  bool has_same_counts(const IdleState& other) const { return sent == other.sent && received == other.received; }
};

// The last state that a process has reported.
struct ReportedState {
  std::uint64_t is_known = 0;  // 0: it has reported none yet
  IdleState state;

  bool equals(const IdleState& now) const { return is_known != 0 && now.has_same_counts(state); }
};

// The part of each process.
class IdleProcess {
 public:
  // Process 0 asks. The answer comes once nothing runs here: until then ranks run, and there is no deadlock.
  void ask(std::uint64_t round) { asked_ = round; }
  // Nothing runs: what to send to process 0, if anything.
  std::optional<IdleState> report(std::uint64_t sent, std::uint64_t received) {
    const IdleState now{.round = std::exchange(asked_, 0), .sent = sent, .received = received};
    const bool is_reported = reported_.equals(now);
    reported_ = {.is_known = 1, .state = now};
    return is_reported && now.round == 0 ? std::nullopt : std::optional(now);
  }

 private:
  ReportedState reported_;
  std::uint64_t asked_ = 0;  // the round in which process 0 waits for an answer; 0: in none
};

// The part of process 0. `States`: a ReportedState for each process.
template <typename States>
class IdleSearch {
 public:
  enum class Next : std::uint8_t { wait, ask, report };  // ask all processes, in round(); report the deadlock

  explicit IdleSearch(States states) : states_(std::move(states)) {}

  // This process has reported this state. Returns what process 0 has to do now.
  Next note(std::uint32_t process, const IdleState& state) {
    if (phase_ == Phase::found) {
      return Next::wait;
    }
    ReportedState& known = states_[process];
    if (!known.equals(state)) {
      phase_ = Phase::waiting;  // something has run: the other answers of this round are out of date
    }
    known = {.is_known = 1, .state = state};
    if (phase_ == Phase::asking) {
      answers_ += state.round == round_ ? 1 : 0;
      phase_ = answers_ == states_.size() ? Phase::found : Phase::asking;
      return phase_ == Phase::found ? Next::report : Next::wait;
    }
    if (!nothing_is_under_way()) {
      return Next::wait;
    }
    phase_ = Phase::asking;
    answers_ = 0;
    ++round_;
    return Next::ask;
  }
  std::uint64_t round() const { return round_; }
  bool has_found() const { return phase_ == Phase::found; }

 private:
  enum class Phase : std::uint64_t { waiting, asking, found };

  bool nothing_is_under_way() const {
    std::uint64_t under_way = 0;
    for (const ReportedState& its : states_) {
      if (its.is_known == 0) {
        return false;
      }
      under_way += its.state.sent - its.state.received;
    }
    return under_way == 0;
  }

  States states_;
  Phase phase_ = Phase::waiting;
  std::uint64_t round_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace termination
}  // namespace weft::runtime
