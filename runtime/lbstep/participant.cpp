#include "runtime/lbstep/participant.hpp"

#include <array>
#include <string>

#include "base/check.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

void Participant::allow(bool allowed, const char* event) const {
  if (!allowed) [[unlikely]] {
    constexpr std::array kNames{"restoring", "running", "waiting",    "flushing",
                                "moving",    "moved",   "truncating", "disabled"};
    base::fail(std::string("this process's part of a balancing step: ") + event + " in state " +
               kNames[static_cast<std::size_t>(state_)]);
  }
}

bool Participant::on_all_arrived() {
  allow(state_ == State::running || state_ == State::disabled, "all ranks have arrived");
  if (state_ == State::disabled) {
    return false;
  }
  state_ = State::waiting;
  return true;
}

void Participant::on_plan(const StepPlan& plan) {
  const bool moves = plan.moves || !plan.checkpoint.empty();
  if (state_ == State::disabled) {
    allow(!moves, "a plan that moves ranks");
    return;
  }
  allow(state_ == State::waiting || (state_ == State::running && !actions_.has_ranks()), "a plan");
  ++steps_;
  const bool packs = actions_.begin_step(steps_, plan);
  if (!moves) {
    state_ = State::running;
    actions_.end_step(steps_);
  } else if (packs) {
    state_ = State::flushing;
    actions_.start_flush();
  } else {
    move();
  }
}

void Participant::on_flush_over() {
  allow(state_ == State::flushing, "the end of the flush");
  move();
}

void Participant::move() {
  state_ = State::moving;
  const bool any = actions_.start_moves(steps_);
  install_kept();
  if (!any) {
    on_moves_done();
  }
}

void Participant::install_kept() {
  for (auto& [from, image] : std::exchange(kept_, {})) {
    actions_.install(from, std::move(image));
  }
}

void Participant::on_image(ProcessId from, MigrationImage image) {
  allow(state_ == State::restoring || state_ == State::flushing || state_ == State::moving, "a migration image");
  if (state_ != State::moving) {
    kept_.emplace_back(from, std::move(image));
  } else {
    actions_.install(from, std::move(image));
  }
}

void Participant::on_installed(RankId rank) {
  allow(state_ == State::moving, "the news that a rank is installed elsewhere");
  actions_.note_installed(rank);
}

void Participant::on_moves_done() {
  allow(state_ == State::moving, "the end of all moves");
  state_ = State::moved;
  actions_.send_moves_done();
}

void Participant::on_all_restored() {
  allow(state_ == State::moved, "the news that all ranks are restored");
  state_ = State::truncating;
  actions_.truncate_files();
}

void Participant::on_files_truncated() {
  allow(state_ == State::truncating, "the end of cutting files");
  state_ = State::moved;
  actions_.send_moves_done();
}

void Participant::on_step_over() {
  allow(state_ == State::moved || state_ == State::disabled, "the end of the step");
  if (state_ == State::moved) {
    state_ = State::running;
    actions_.end_step(steps_);
  }
}

void Participant::on_disable() {
  allow(
      state_ != State::restoring && state_ != State::flushing && state_ != State::moving && state_ != State::truncating,
      "disable");
  if (state_ != State::disabled) {
    state_ = State::disabled;
    actions_.open_for_good();
  }
}

void Participant::resume(std::uint64_t step) {
  allow(state_ == State::restoring, "the ranks of a checkpoint");
  steps_ = step;
  state_ = State::moving;
  install_kept();
}

}  // namespace lbstep
}  // namespace weft::runtime
