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
  // Contexts that wait in barrier(), by ExecutionContext::next, in the order of their arrival.
  ExecutionContext* first_waiting = nullptr;
  ExecutionContext* last_waiting = nullptr;
  Request* first_request = nullptr;  // those of arrive_for(), by Request::next
  Action action = nullptr;           // this and `argument`: of the member that arrived last here
  void* argument = nullptr;
  std::uint32_t present = 0;     // members that have arrived on this worker
  std::uint32_t unreported = 0;  // of these, those not reported to the team yet
  bool is_deferred = false;      // it is in its worker's deferred work, since it has unreported arrivals
  // Members wait here that the worker which completes the barrier must wake. Set by this worker before it reports their
  // arrival, cleared by the completing one.
  std::atomic<bool> has_waiters = false;
  OwnedItem<BarrierNode> release;  // has this worker wake its members; pushed by the completing worker
};

// Barriers use the two nodes in turn: a released rank may move to this worker and arrive at the next barrier before the
// worker has released its own members from the last one.
struct alignas(64) Team::WorkerShare {
  // Members on this worker. Wrong where a member has moved between the making of the team and its own registration in
  // Member::teams, or is never registered there: in jobs of several processes. That only delays reports: what arrive()
  // does not report, deferred work does.
  std::uint32_t members_here = 0;
  std::array<BarrierNode, 2> nodes;
};

}  // namespace sync
}  // namespace weft::runtime
