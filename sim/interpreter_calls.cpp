// The interpreter's part for collective calls, blocking and nonblocking.
#include "sim/interpreter.hpp"

#include <optional>
#include <utility>

namespace weft::sim {

Interpreter::ActionResult Interpreter::advance_calls(std::uint32_t number) {
  const WorkerState& worker = state_.worker_of(number);
  Seconds before = -1.0;
  while (state_.ranks[number].has_pending_calls && worker.now != before) {
    if (is_ahead(worker)) {
      return ActionResult::retries;
    }
    before = worker.now;
    pending_.advance(number);
    is_caught_up_ = is_caught_up_ && worker.now == before;
  }
  return ActionResult::completed;
}

Interpreter::ActionResult Interpreter::wait_with_calls(std::uint32_t number, std::uint32_t first, std::uint32_t count) {
  if (advance_calls(number) == ActionResult::retries) {
    return ActionResult::retries;
  }
  if (!state_.ranks[number].has_pending_calls) {
    return wait(number, first, count);
  }
  if (pending_.complete_if_done(number, {first, count})) {
    return ActionResult::completed;
  }
  pending_.await(number, {first, count});
  return ActionResult::waits;
}

Interpreter::ActionResult Interpreter::collective(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (action.request != kBlockingSlot) {
    return begin_collective(number, action);
  }
  if (collectives_.runs_in_memory(number, action)) {
    return run_in_memory(number, action);
  }
  ++actions_;
  rank.after_call = rank.next + 1;
  rank.next = collectives_.program(number, action);
  return ActionResult::enters_call;
}

// Is called again when the rank continues after each of the call's one or two barriers.
Interpreter::ActionResult Interpreter::run_in_memory(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (!rank.begun) {
    rank.begun = true;
    state_.charge_cold_arrival(number);
    return arrive_at_barrier(number, action);
  }
  const ActionResult result = wait(number, rank.request_base() + kBlockingSlot, 1);
  if (result != ActionResult::completed || std::exchange(rank.in_second_barrier, false)) {
    return result;
  }
  const std::optional<Seconds> work = collectives_.work_between_barriers(number, action);
  if (!work) {
    return ActionResult::completed;
  }
  SimState::charge(state_.worker_of(number), rank, *work);
  rank.in_second_barrier = true;
  return arrive_at_barrier(number, action);
}

// A rank with pending calls advances them meanwhile and waits for a request; other ranks wait to be woken.
Interpreter::ActionResult Interpreter::arrive_at_barrier(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  if (!rank.has_pending_calls) {
    collectives_.arrive(number, action);
    return ActionResult::waits;
  }
  const MessageEnd end{number, rank.request_base() + kBlockingSlot};
  collectives_.arrive(end, action);
  const ActionResult result = wait(number, end.request, 1);
  return result == ActionResult::completed ? run_in_memory(number, action) : result;
}

Interpreter::ActionResult Interpreter::begin_collective(std::uint32_t number, const Action& action) {
  RankState& rank = state_.ranks[number];
  const std::uint32_t request = rank.first_request + action.request;
  if (collectives_.runs_in_memory(number, action)) {
    state_.charge_cold_arrival(number);
    collectives_.arrive(MessageEnd{number, request}, action);
    return ActionResult::completed;
  }
  if (is_ahead(state_.worker_of(number))) {
    return ActionResult::retries;
  }
  pending_.begin(number, collectives_.program_of_next(number, action), request);
  return ActionResult::completed;
}

}  // namespace weft::sim
