// What one worker keeps of a team's barriers. Touched by that worker's thread only, except `has_waiters` and the
// release item.
#pragma once

#include <array>
#include <atomic>

#include "runtime/sched/worker.hpp"
#include "runtime/sync/team.hpp"

namespace weft::runtime {
inline namespace sync {

// The members that have arrived on this worker at one barrier.
struct Team::BarrierNode : DeferredWork {
  Team* team = nullptr;
  ExecutionContext* first_waiting = nullptr;
  ExecutionContext* last_waiting = nullptr;
  Request* first_request = nullptr;  // of arrive_for()
  Action action = nullptr;
  void* argument = nullptr;
  std::uint32_t present = 0;     // members that have arrived on this worker
  std::uint32_t unreported = 0;  // of these, those not reported to the team yet
  bool is_deferred = false;      // it is in its worker's deferred work, since it has unreported arrivals
  std::atomic<bool> has_waiters = false;
  OwnedItem<BarrierNode> release;
};

// Barriers use the two nodes in turn: a released rank may move to this worker and arrive at the next barrier before the
// worker has released its own members from the last one.
struct alignas(64) Team::WorkerShare {
  std::uint32_t members_here = 0;  // on this worker: decides when it reports arrivals, never whether
  std::array<BarrierNode, 2> nodes;
};

}  // namespace sync
}  // namespace weft::runtime
