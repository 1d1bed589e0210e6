#include "sim/pending_calls.hpp"

#include <algorithm>

namespace weft::sim {

void PendingCalls::begin(std::uint32_t number, const CallProgram& program, std::uint32_t request) {
  RankCalls& rank = ranks_[number];
  rank.calls.push_back(
      {.next = program.actions.data(), .slots = take_slots(rank, program.requests), .request = request});
  messaging_.request(request) = {.done = Request::kPending};
  if (finish(number, rank.calls.back())) {
    rank.unused.push_back(rank.calls.back().slots);
    rank.calls.pop_back();
  }
  state_.ranks[number].has_calls = !rank.calls.empty();
}

PendingCalls::Run PendingCalls::take_slots(RankCalls& rank, std::uint32_t count) {
  const auto fits = std::ranges::find_if(rank.unused, [&](const Run& run) { return run.count >= count; });
  if (fits == rank.unused.end()) {
    return {messaging_.add_requests(count), count};
  }
  const Run run = *fits;
  rank.unused.erase(fits);
  return run;
}

void PendingCalls::advance(std::uint32_t number) {
  RankCalls& rank = ranks_.at(number);
  std::erase_if(rank.calls, [&](Call& call) {
    const bool finished = finish(number, call);
    if (finished) {
      rank.unused.push_back(call.slots);
    }
    return finished;
  });
  state_.ranks[number].has_calls = !rank.calls.empty();
}

// Whether the call is over.
bool PendingCalls::finish(std::uint32_t number, Call& call) {
  WorkerState& worker = state_.worker_of(number);
  for (;; ++call.next) {
    const Action& action = *call.next;
    const MessageEnd end{number, call.slots.first + action.request};
    switch (action.kind) {
      case ActionKind::isend:
        if (messaging_.send(end, action.index, action.value)) {
          messaging_.request(end.request) = {};
        }
        break;
      case ActionKind::irecv:
        messaging_.receive(end, action.index);
        break;
      case ActionKind::compute:
        SimState::charge(worker, state_.ranks[number], action.seconds());
        break;
      case ActionKind::wait:
        if (!pass(number, needs(call))) {
          return false;
        }
        break;
      default:
        messaging_.request(call.request) = {.done = worker.now};
        return true;
    }
  }
}

bool PendingCalls::pass(std::uint32_t number, const Run& run) {
  WorkerState& worker = state_.worker_of(number);
  if (!has_come(run, worker.now)) {
    return false;
  }
  const ColdCost cold = state_.cold_cost(worker, state_.ranks[number]);
  for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
    SimState::charge(worker, state_.ranks[number], messaging_.take(i, cold));
  }
  return true;
}

bool PendingCalls::has_come(const Run& run, Seconds now) const {
  for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
    const Request& request = messaging_.request(i);
    if (!request.is_known() || request.done > now) {
      return false;
    }
  }
  return true;
}

void PendingCalls::await(std::uint32_t number, const Run& run) {
  RankCalls& rank = ranks_.at(number);
  rank.awaited = run;
  expect(number, run);
  for (const Call& call : rank.calls) {
    expect(number, needs(call));
  }
}

// What is known comes with one event, that of its latest; the rest with one each, when it gets known.
void PendingCalls::expect(std::uint32_t number, const Run& run) {
  Seconds latest = 0.0;
  for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
    Request& request = messaging_.request(i);
    if (request.is_known()) {
      latest = std::max(latest, request.done);
    } else {
      request.done = Request::kAwaited;
    }
  }
  if (latest > state_.worker_of(number).now) {
    state_.events.add(latest, EventKind::go_on, number);
  }
}

bool PendingCalls::can_go_on(std::uint32_t number, Seconds now) const {
  const RankState& state = state_.ranks[number];
  if (state.status != RankStatus::waiting || !state.has_calls) {
    return false;
  }
  const RankCalls& rank = ranks_.at(number);
  return (rank.awaited.count != 0 && has_come(rank.awaited, now)) ||
         std::ranges::any_of(rank.calls, [&](const Call& call) { return has_come(needs(call), now); });
}

}  // namespace weft::sim
