// What the interpreter does in collective calls, and with those that have a request.
#include "sim/interpreter.hpp"

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
  if (collectives_.meets_in_memory(action)) {
    return meet_in_memory(number, action);
  }
  ++actions_;
  rank.after_call = rank.next + 1;
  rank.next = collectives_.program(number, action);
  return Outcome::calls;
}

// Who has pending calls goes on with them meanwhile, and waits as for a request; others wait to be woken.
Interpreter::Outcome Interpreter::meet_in_memory(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const MessageEnd end{number, requests_of(rank) + kBlockingSlot};
  if (!rank.begun) {
    rank.begun = true;
    if (!rank.has_calls) {
      collectives_.arrive(number, action);
      return Outcome::waits;
    }
    collectives_.arrive(end, action);
  }
  return wait(number, end.request, 1);
}

Interpreter::Outcome Interpreter::begin_collective(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const std::uint32_t request = rank.first_request + action.request;
  if (collectives_.meets_in_memory(action)) {
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
