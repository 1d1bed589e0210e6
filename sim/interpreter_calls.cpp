// What the interpreter does in collective calls, and with those that have a request.
#include "sim/interpreter.hpp"

#include <optional>
#include <utility>

namespace weft::sim {

Interpreter::Outcome Interpreter::go_on_with_calls(std::uint32_t number) {
  const WorkerState& worker = state_.worker_of(number);
  Seconds before = -1.0;
  while (state_.ranks[number].has_calls && worker.now != before) {
    if (is_ahead(worker)) {
      return Outcome::looks_again;
    }
    before = worker.now;
    pending_.advance(number);
    looks_again_ = looks_again_ && worker.now == before;
  }
  return Outcome::goes_on;
}

Interpreter::Outcome Interpreter::wait_with_calls(std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  if (go_on_with_calls(number) == Outcome::looks_again) {
    return Outcome::looks_again;
  }
  if (!state_.ranks[number].has_calls) {
    return wait(number, first, count);
  }
  if (pending_.pass(number, {first, count})) {
    return Outcome::goes_on;
  }
  pending_.await(number, {first, count});
  return Outcome::waits;
}

Interpreter::Outcome Interpreter::collective(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (action.request != kBlockingSlot) {
    return begin_collective(number, action);
  }
  if (collectives_.meets_in_memory(number, action)) {
    return meet_in_memory(number, action);
  }
  ++actions_;
  rank.after_call = rank.next + 1;
  rank.next = collectives_.program(number, action);
  return Outcome::calls;
}

// Each time that the rank may go on it comes here again: after each of the one or two meetings.
Interpreter::Outcome Interpreter::meet_in_memory(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (!rank.begun) {
    rank.begun = true;
    state_.charge_cold_meeting(number);
    return come_to_meeting(number, action);
  }
  const Outcome outcome = wait(number, requests_of(rank) + kBlockingSlot, 1);
  if (outcome != Outcome::goes_on || std::exchange(rank.meets_again, false)) {
    return outcome;
  }
  const std::optional<Seconds> work = collectives_.work_between(number, action);
  if (!work) {
    return Outcome::goes_on;
  }
  SimState::charge(state_.worker_of(number), rank, *work);
  rank.meets_again = true;
  return come_to_meeting(number, action);
}

// A rank with pending calls goes on with them meanwhile, and waits as for a request; others wait to be woken.
Interpreter::Outcome Interpreter::come_to_meeting(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (!rank.has_calls) {
    collectives_.arrive(number, action);
    return Outcome::waits;
  }
  const MessageEnd end{number, requests_of(rank) + kBlockingSlot};
  collectives_.arrive(end, action);
  const Outcome outcome = wait(number, end.request, 1);
  return outcome == Outcome::goes_on ? meet_in_memory(number, action) : outcome;
}

Interpreter::Outcome Interpreter::begin_collective(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const std::uint32_t request = rank.first_request + action.request;
  if (collectives_.meets_in_memory(number, action)) {
    state_.charge_cold_meeting(number);
    collectives_.arrive(MessageEnd{number, request}, action);
    return Outcome::goes_on;
  }
  if (is_ahead(state_.worker_of(number))) {
    return Outcome::looks_again;
  }
  pending_.begin(number, collectives_.program_of_next(number, action), request);
  return Outcome::goes_on;
}

}  // namespace weft::sim
