// How process 0 finds that no process of a job can ever go on (Mattern 1987, four counters): every process has told it
// that nothing runs there, and how many messages it has sent and received; the sums agree; and asked once more each
// says the same. Only the search: Termination sends the messages, and a test explores it. It compares all of these
// classes as bytes, so their members are words.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace weft::runtime {
inline namespace termination {

// What a process tells when nothing runs there.
struct IdleState {
  std::uint64_t round = 0;  // that it was asked in; 0: it tells by itself
  std::uint64_t sent = 0;   // messages of this process, ever
  std::uint64_t received = 0;

  bool counts_as(const IdleState& other) const { return sent == other.sent && received == other.received; }
};

// The last state that a process has told.
struct ToldState {
  std::uint64_t is_there = 0;  // 0: it has told none yet
  IdleState state;

  bool is(const IdleState& now) const { return is_there != 0 && now.counts_as(state); }
};

// Of a process.
class IdleProcess {
 public:
  // Process 0 asks. The answer comes once nothing runs: until then ranks run, and it need not know.
  void ask(std::uint64_t round) { asked_ = round; }
  // Nothing runs. What process 0 has to hear; none if it knows.
  std::optional<IdleState> tell(std::uint64_t sent, std::uint64_t received) {
    const IdleState now{.round = std::exchange(asked_, 0), .sent = sent, .received = received};
    const bool is_known = told_.is(now);
    told_ = {.is_there = 1, .state = now};
    return is_known && now.round == 0 ? std::nullopt : std::optional(now);
  }

 private:
  ToldState told_;
  std::uint64_t asked_ = 0;  // 0: it has not, or the answer is given
};

// Process 0's. `States`: a ToldState for each process.
template <typename States>
class IdleSearch {
 public:
  enum class Next : std::uint8_t { wait, ask, report };  // ask all processes, in round()

  explicit IdleSearch(States states) : states_(std::move(states)) {}

  Next note(std::uint32_t process, const IdleState& state) {
    if (phase_ == Phase::found) {
      return Next::wait;
    }
    ToldState& known = states_[process];
    if (!known.is(state)) {
      phase_ = Phase::waiting;  // what the others have answered says nothing any more
    }
    known = {.is_there = 1, .state = state};
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
    for (const ToldState& its : states_) {
      if (its.is_there == 0) {
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
