// The state of a simulated run: ranks, workers, and the event queue.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cold_caches.hpp"
#include "sim/core_share.hpp"
#include "sim/event_queue.hpp"
#include "sim/idle_times.hpp"
#include "sim/timeline.hpp"

namespace weft::sim {

inline constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

enum class RankStatus : std::uint8_t { ready, running, waiting, ended };

// Two cache lines: the first holds what a rank needs to wake up and to wait, the second the rest.
struct alignas(64) RankState {
  const Action* next = nullptr;             // the next action
  const Action* after_call = nullptr;       // the next action after its collective call; null: it is in none
  const std::uint32_t* channels = nullptr;  // numbers of its template's channels
  double scale = 1.0;
  Seconds load = 0.0;            // work charged to it since the last balancing step
  Seconds wait_until = 0.0;      // latest known completion of the requests that it waits for
  std::uint32_t wait_count = 0;  // requests that it waits for whose completion is not known
  std::uint32_t first_request = 0;
  std::uint32_t behind = kNobody;  // the next one in its worker's queue
  RankStatus status = RankStatus::ready;
  bool begun = false;              // the action at `next` has begun and waits
  bool in_second_barrier = false;  // it waits in the second barrier of a collective call in memory
  bool has_pending_calls = false;  // nonblocking collective calls are in PendingCalls

  const Action* code = nullptr;                         // the first action of its template
  const float* values = nullptr;                        // the next value of its list
  std::array<std::uint32_t, kMostLevels> times_left{};  // iterations of its loops, by level
  std::uint32_t call_requests = 0;                      // first request of its blocking collective calls
  Seconds computed_before = 0.0;                        // WorkerState::computed at the end of its last wait

  // The number of the request in slot 0 of its actions. The actions of a blocking collective call have slots of their
  // own.
  [[nodiscard]] std::uint32_t request_base() const { return after_call != nullptr ? call_requests : first_request; }
};

struct WorkerState {
  WorkerState(double speed, std::vector<ShareStep> steps) : core(speed, std::move(steps)) {}

  CoreShare core;
  Seconds now = 0.0;              // it is simulated up to this time
  Seconds busy = 0.0;             // work of its ranks, seconds at speed 1
  Seconds computed = 0.0;         // the part of `busy` outside of MPI
  Seconds computed_before = 0.0;  // value of `computed` at its last switch
  std::uint32_t running = kNobody;
  std::uint32_t last = kNobody;  // the rank that ran last
  std::uint32_t head = kNobody;  // of its queue of ready ranks, in the order in which they became ready
  std::uint32_t tail = kNobody;
  std::uint32_t ranks = 0;  // on this worker
  IdleTimes idle;

  // The worker has no work until `time`.
  void idle_to(Seconds time) {
    if (time > now) {
      idle.add(now, time);
      now = time;
    }
  }
};

// Each send reads the receiver's location, so locations are in arrays of their own, which fit into a cache.
struct SimState {
  std::vector<RankState> ranks;
  std::vector<std::uint32_t> homes;  // by rank, its worker
  std::vector<WorkerState> workers;
  std::vector<WorkerPlace> places;  // by worker
  ColdCosts cold_costs;
  EventQueue events;
  Timeline* timeline = nullptr;  // borrowed; null: none is wanted

  [[nodiscard]] WorkerState& worker_of(std::uint32_t rank) { return workers[homes[rank]]; }
  [[nodiscard]] const WorkerState& worker_of(std::uint32_t rank) const { return workers[homes[rank]]; }
  [[nodiscard]] const WorkerPlace& place_of(std::uint32_t rank) const { return places[homes[rank]]; }
  // Lets the worker work for the rank: `work` seconds at speed 1.
  static void charge(WorkerState& worker, RankState& rank, Seconds work) {
    worker.now = worker.core.finish(worker.now, work);
    worker.busy += work;
    rank.load += work;
  }
  // The extra cost of the rank's next MPI call: computing on its worker since its last wait has replaced what it needs
  // in the caches.
  [[nodiscard]] ColdCost cold_cost(const WorkerState& worker, const RankState& rank) const {
    return cold_costs.empty() ? ColdCost{} : cold_costs.after(worker.computed - rank.computed_before);
  }
  // Charges the cold caches of a rank that enters a collective call in memory: as for one end of a message.
  void charge_cold_arrival(std::uint32_t number) {
    WorkerState& worker = worker_of(number);
    charge(worker, ranks[number], cold_cost(worker, ranks[number]).message);
  }
};

}  // namespace weft::sim
