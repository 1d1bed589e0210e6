#include "runtime/lbstep/flush.hpp"

#include <array>
#include <string>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

void check_flush(bool holds, Flush::State state, const char* event) {
  if (!holds) [[unlikely]] {
    constexpr std::array kNames{"idle", "messages", "inboxes", "answers", "last_inboxes"};
    base::fail(std::string("flush of a balancing step: ") + event + " in state " +
               kNames[static_cast<std::size_t>(state)]);
  }
}

}  // namespace

void Flush::start() {
  check_flush(state_ == State::idle, state_, "start");
  state_ = State::messages;
  actions_.send_marker(false);
  advance();
}

void Flush::on_marker(bool second) {
  if (second) {
    check_flush(state_ == State::messages || state_ == State::inboxes || state_ == State::answers, state_,
                "second marker");
    check_flush(++second_markers_ <= processes_, state_, "too many second markers");
  } else {
    check_flush(state_ == State::idle || state_ == State::messages, state_, "first marker");
    check_flush(++first_markers_ <= processes_, state_, "too many first markers");
  }
  advance();
}

void Flush::on_inboxes_empty() {
  check_flush((state_ == State::inboxes || state_ == State::last_inboxes) && !inboxes_empty_, state_, "inboxes empty");
  inboxes_empty_ = true;
  advance();
}

void Flush::on_reads_ended() { advance(); }

void Flush::advance() {
  switch (state_) {
    case State::idle:
      break;
    case State::messages:
      if (first_markers_ == processes_) {
        first_markers_ = 0;
        inboxes_empty_ = false;
        state_ = State::inboxes;
        actions_.fence_inboxes();
      }
      break;
    case State::inboxes:
      if (inboxes_empty_ && !actions_.reads_under_way()) {
        state_ = State::answers;
        actions_.send_marker(true);
      }
      break;
    case State::answers:
      if (second_markers_ == processes_) {
        second_markers_ = 0;
        inboxes_empty_ = false;
        state_ = State::last_inboxes;
        actions_.fence_inboxes();
      }
      break;
    case State::last_inboxes:
      if (inboxes_empty_) {
        state_ = State::idle;
        actions_.flush_over();
      }
      break;
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
