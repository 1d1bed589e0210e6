// Schedules ranks on workers: a worker runs one rank until it must wait, then the rank that has been ready the longest.
#pragma once

#include <cstdint>
#include <utility>

#include "sim/state.hpp"

namespace weft::sim {

class Scheduler {
 public:
  Scheduler(SimState& state, Seconds switch_cost) : state_(state), switch_cost_(switch_cost) {}

  // The rank is ready from now on.
  void enqueue(std::uint32_t number) {
    RankState& rank = state_.ranks[number];
    WorkerState& worker = state_.worker_of(number);
    rank.status = RankStatus::ready;
    rank.behind = kNobody;
    (worker.head == kNobody ? worker.head : state_.ranks[worker.tail].behind) = number;
    worker.tail = number;
  }

  // Makes the next ready rank of an idle worker its running one. Returns false if none is ready.
  bool dispatch(WorkerState& worker) {
    const std::uint32_t number = worker.head;
    if (number == kNobody) {
      return false;
    }
    RankState& rank = state_.ranks[number];
    worker.head = rank.behind;
    worker.running = number;
    rank.status = RankStatus::running;
    if (worker.last != number) {
      if (worker.last != kNobody) {
        worker.now = worker.core.finish(worker.now, switch_cost_ + cold_switch(worker));
      }
      worker.last = number;
    }
    return true;
  }

 private:
  Seconds cold_switch(WorkerState& worker) const {
    if (state_.cold_costs.empty()) {
      return 0.0;
    }
    const Seconds before = std::exchange(worker.computed_before, worker.computed);
    return state_.cold_costs.after(worker.computed - before).switching;
  }

  SimState& state_;
  Seconds switch_cost_;
};

}  // namespace weft::sim
