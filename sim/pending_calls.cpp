#include "sim/pending_calls.hpp"

#include <algorithm>

namespace weft::sim {

void PendingCalls::begin(std::uint32_t number, const CallProgram& program, std::uint32_t request) {
  CallsOfRank& rank = ranks_[number];
  rank.calls.push_back(
      {.next = program.actions.data(), .slots = take_slots(rank, program.requests), .request = request});
  messaging_.request(request) = {.done = Request::kPending};
  if (advance_call(number, rank.calls.back())) {
    rank.unused.push_back(rank.calls.back().slots);
    rank.calls.pop_back();
  }
  state_.ranks[number].has_pending_calls = !rank.calls.empty();
}

PendingCalls::RequestRange PendingCalls::take_slots(CallsOfRank& rank, std::uint32_t count) {
  const auto fits = std::ranges::find_if(rank.unused, [&](const RequestRange& range) { return range.count >= count; });
  if (fits == rank.unused.end()) {
    return {messaging_.add_requests(count), count};
  }
  const RequestRange range = *fits;
  rank.unused.erase(fits);
  return range;
}

void PendingCalls::advance(std::uint32_t number) {
  CallsOfRank& rank = ranks_.at(number);
  std::erase_if(rank.calls, [&](Call& call) {
    const bool finished = advance_call(number, call);
    if (finished) {
      rank.unused.push_back(call.slots);
    }
    return finished;
  });
  state_.ranks[number].has_pending_calls = !rank.calls.empty();
}

bool PendingCalls::advance_call(std::uint32_t number, Call& call) {
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
        if (!complete_if_done(number, awaited_by(call))) {
          return false;
        }
        break;
      default:
        messaging_.request(call.request) = {.done = worker.now};
        return true;
    }
  }
}

bool PendingCalls::complete_if_done(std::uint32_t number, const RequestRange& range) {
  WorkerState& worker = state_.worker_of(number);
  if (!all_done(range, worker.now)) {
    return false;
  }
  const ColdCost cold = state_.cold_cost(worker, state_.ranks[number]);
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    SimState::charge(worker, state_.ranks[number], messaging_.retire(i, worker, cold));
  }
  return true;
}

bool PendingCalls::all_done(const RequestRange& range, Seconds now) const {
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    const Request& request = messaging_.request(i);
    if (!request.is_known() || request.done > now) {
      return false;
    }
  }
  return true;
}

void PendingCalls::await(std::uint32_t number, const RequestRange& range) {
  CallsOfRank& rank = ranks_.at(number);
  rank.awaited = range;
  schedule_wakeup(number, range);
  for (const Call& call : rank.calls) {
    schedule_wakeup(number, awaited_by(call));
  }
}

// Adds one event for all requests whose completion times are known, at the latest of these. Messaging::complete() adds
// an event for each of the others.
void PendingCalls::schedule_wakeup(std::uint32_t number, const RequestRange& range) {
  Seconds latest = 0.0;
  for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
    Request& request = messaging_.request(i);
    if (request.is_known()) {
      latest = std::max(latest, request.done);
    } else {
      request.done = Request::kAwaited;
    }
  }
  if (latest > state_.worker_of(number).now) {
    state_.events.add(latest, SimEventKind::advance_calls, number);
  }
}

bool PendingCalls::can_advance(std::uint32_t number, Seconds now) const {
  const RankState& state = state_.ranks[number];
  if (state.status != RankStatus::waiting || !state.has_pending_calls) {
    return false;
  }
  const CallsOfRank& rank = ranks_.at(number);
  return (rank.awaited.count != 0 && all_done(rank.awaited, now)) ||
         std::ranges::any_of(rank.calls, [&](const Call& call) { return all_done(awaited_by(call), now); });
}

}  // namespace weft::sim
