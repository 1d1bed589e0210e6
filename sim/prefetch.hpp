// Prefetches what the next events and actions need. With many ranks each event concerns another rank, whose data are in
// no cache.
#pragma once

#include <span>

#include "sim/messaging.hpp"
#include "sim/state.hpp"

namespace weft::sim {

// Prefetches what the next events concern.
inline void prefetch_next(const SimState& state, const Messaging& messaging) {
  const std::span<const Event> next = state.events.next();
  for (const Event& event : next) {
    if (event.kind == SimEventKind::wake) {
      __builtin_prefetch(&state.ranks[event.target], 1);
      __builtin_prefetch(&state.ranks[event.target].code, 1);
    }
  }
  if (!next.empty() && next.front().kind == SimEventKind::wake) {
    const RankState& rank = state.ranks[next.front().target];
    __builtin_prefetch(rank.channels);
    __builtin_prefetch(&state.worker_of(next.front().target), 1);
    messaging.prefetch_requests(rank.first_request);
  }
}

// Prefetches the channels of the rank's next sends and receives.
inline void prefetch_messages(const RankState& rank, const Messaging& messaging) {
  constexpr unsigned kFar = 6;
  constexpr unsigned kNear = 2;
  for (unsigned i = 1; i <= kFar && rank.next[i].kind <= ActionKind::irecv; ++i) {
    const Action& action = rank.next[i];
    if (i == kNear && (action.kind == ActionKind::isend || action.kind == ActionKind::send)) {
      messaging.prefetch_receiver(rank.channels[action.index]);
    } else if (i == kFar && action.kind != ActionKind::compute) {
      messaging.prefetch_channel(rank.channels[action.index]);
    }
  }
}

}  // namespace weft::sim
