// What a simulated run consists of while it goes on: ranks, workers, and events to come.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cold_caches.hpp"
#include "sim/core_share.hpp"
#include "sim/event_queue.hpp"
#include "sim/timeline.hpp"

namespace weft::sim {

inline constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

enum class RankStatus : std::uint8_t { ready, running, waiting, ended };

// Two cache lines: what a rank needs to wake up and to wait, and what it needs beside.
struct alignas(64) RankState {
  const Action* next = nullptr;             // to happen
  const Action* after_call = nullptr;       // where it goes on after a collective call; null: it is in none
  const std::uint32_t* channels = nullptr;  // numbers of its template's channels
  double scale = 1.0;
  Seconds load = 0.0;            // work charged to it since the last balancing step
  Seconds wait_until = 0.0;      // the latest of what it waits for and is known
  std::uint32_t wait_count = 0;  // requests that it waits for, of which nothing is known
  std::uint32_t first_request = 0;
  std::uint32_t behind = kNobody;  // the next one in its worker's queue
  RankStatus status = RankStatus::ready;
  bool begun = false;        // the action at `next` has begun, and waits
  bool meets_again = false;  // it waits for the second meeting of a collective call in memory
  bool has_calls = false;    // with a request, that are pending (PendingCalls)

  const Action* code = nullptr;                         // its template
  const float* values = nullptr;                        // the next of its list
  std::array<std::uint32_t, kMostLevels> times_left{};  // of its loops
  std::uint32_t call_requests = 0;                      // where the requests of its collective calls begin
  Seconds computed_before = 0.0;                        // on its worker, until its last wait was over
};

struct WorkerState {
  WorkerState(double speed, std::vector<ShareStep> steps) : core(speed, std::move(steps)) {}

  CoreShare core;
  Seconds now = 0.0;              // it is done with all before
  Seconds busy = 0.0;             // seconds at speed 1 that its ranks have had
  Seconds computed = 0.0;         // of these, outside of MPI
  Seconds computed_before = 0.0;  // its last switch
  std::uint32_t running = kNobody;
  std::uint32_t last = kNobody;  // that ran
  std::uint32_t head = kNobody;  // of its queue: ready ranks, in the order in which they became ready
  std::uint32_t tail = kNobody;
  std::uint32_t ranks = 0;  // that live here
};

// Whoever sends looks at where the receiver is: that lies apart, in arrays that a cache holds.
struct SimState {
  std::vector<RankState> ranks;
  std::vector<std::uint32_t> homes;  // by rank, its worker
  std::vector<WorkerState> workers;
  std::vector<WorkerPlace> places;  // by worker
  ColdCosts cold_costs;
  EventQueue events;
  Timeline* timeline = nullptr;  // borrowed; null: nobody wants one

  [[nodiscard]] WorkerState& worker_of(std::uint32_t rank) { return workers[homes[rank]]; }
  [[nodiscard]] const WorkerState& worker_of(std::uint32_t rank) const { return workers[homes[rank]]; }
  [[nodiscard]] const WorkerPlace& place_of(std::uint32_t rank) const { return places[homes[rank]]; }
  // `work` seconds of the worker that are the rank's.
  static void charge(WorkerState& worker, RankState& rank, Seconds work) {
    worker.now = worker.core.finish(worker.now, work);
    worker.busy += work;
    rank.load += work;
  }
  // What was computed on the rank's worker since its last wait was over has replaced in caches what it needs in MPI.
  [[nodiscard]] ColdCost cold_cost(const WorkerState& worker, const RankState& rank) const {
    return cold_costs.empty() ? ColdCost{} : cold_costs.after(worker.computed - rank.computed_before);
  }
  // The rank comes to a collective call in memory, which costs as one end of a message then.
  void charge_cold_meeting(std::uint32_t number) {
    WorkerState& worker = worker_of(number);
    charge(worker, ranks[number], cold_cost(worker, ranks[number]).message);
  }
};

}  // namespace weft::sim
