#include "runtime/lbstep/coordinator.hpp"

#include <array>
#include <string>

#include "base/check.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

void Coordinator::allow(bool allowed, const char* event) const {
  if (!allowed) [[unlikely]] {
    constexpr std::array kNames{"restoring", "gathering", "measuring", "deciding", "moving", "publishing", "disabled"};
    base::fail(std::string("process 0's part of a balancing step: ") + event + " in state " +
               kNames[static_cast<std::size_t>(state_)]);
  }
}

void Coordinator::resume(std::uint64_t step) {
  allow(state_ == State::restoring && steps_ == 0, "the ranks of a checkpoint");
  steps_ = step;
}

void Coordinator::on_arrival(const StepArrival& arrival) {
  allow(state_ == State::gathering || state_ == State::disabled, "an arrival");
  if (state_ == State::disabled) {
    return;
  }
  if (arrived_ == 0) {
    actions_.begin_gathering();
  }
  actions_.add_arrival(arrival);
  arrived_ += arrival.live;
  allow(arrived_ <= ranks_, "an arrival of more ranks than the job has");
  if (arrived_ < ranks_) {
    return;
  }
  arrived_ = 0;
  switch (actions_.next()) {
    case Next::measure_links:
      state_ = State::measuring;
      actions_.measure_links();
      break;
    case Next::decide_later:
      state_ = State::deciding;
      actions_.post_decision();
      break;
    case Next::decide_now:
      state_ = State::deciding;
      decide();
      break;
  }
}

void Coordinator::on_sums(StepSums& sums) {
  allow(state_ == State::gathering || state_ == State::disabled, "a hierarchical step");
  if (state_ == State::gathering) {
    state_ = State::deciding;
    actions_.add_sums(sums);
    decide();
  }
}

void Coordinator::on_links_known() {
  allow(state_ == State::measuring || state_ == State::disabled, "what messages cost");
  if (state_ == State::measuring) {
    state_ = State::deciding;
    actions_.post_decision();
  }
}

void Coordinator::decide() {
  allow(state_ == State::deciding, "a decision");
  const Outcome outcome = actions_.make_plan(++steps_);
  saves_ = outcome == Outcome::ranks_are_saved;
  state_ = outcome == Outcome::nothing_moves ? State::gathering : State::moving;
  actions_.send_plan();
  grant_disable();
}

void Coordinator::on_part(const CheckpointPart& part) {
  allow(state_ == State::moving && saves_, "a part of a checkpoint");
  actions_.add_part(part);
}

void Coordinator::on_moves_done() {
  allow(state_ == State::moving || state_ == State::restoring, "the end of a process's moves");
  if (++moves_done_ < processes_) {
    return;
  }
  moves_done_ = 0;
  if (state_ == State::restoring) {
    state_ = State::moving;
    actions_.send_all_restored();
    return;
  }
  actions_.moves_over();
  if (saves_) {
    state_ = State::publishing;
    actions_.post_publication();
  } else {
    end_step();
  }
}

void Coordinator::on_published() {
  allow(state_ == State::publishing, "the end of a checkpoint");
  end_step();
}

void Coordinator::end_step() {
  saves_ = false;
  state_ = State::gathering;
  actions_.send_step_over();
  grant_disable();
}

void Coordinator::on_disable_request() {
  disable_requested_ = true;
  grant_disable();
}

void Coordinator::grant_disable() {
  if (disable_requested_ && state_ == State::gathering) {
    disable_requested_ = false;
    actions_.send_disable();
  }
}

void Coordinator::on_disable() {
  allow(state_ == State::gathering || state_ == State::disabled, "disable");
  state_ = State::disabled;
}

}  // namespace lbstep
}  // namespace weft::runtime
