// Executes the ranks' actions. A rank runs until it must wait, so that its worker's time may be ahead of the event
// queue's. If it comes to a wait while the queue has earlier events, one of these may satisfy the wait: the worker
// tries again once they have been processed.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/balancing.hpp"
#include "sim/collective.hpp"
#include "sim/messaging.hpp"
#include "sim/pairing.hpp"
#include "sim/replay.hpp"
#include "sim/scheduler.hpp"

namespace weft::sim {

class Interpreter {
 public:
  // REQUIRES: check_workload() has accepted the workload.
  Interpreter(const Workload& workload, const Platform& platform, const ReplayOptions& options);

  ReplayResult run();

 private:
  // What became of an action. enters_call: the rank continues with the steps of a collective call. waits: an event will
  // continue the rank. retries: the action must be tried again after earlier events (see the head of this file).
  enum class ActionResult : std::uint8_t { completed, enters_call, waits, retries };

  void handle(const Event& event);
  // Runs the worker's ranks until none is ready. `is_caught_up`: all events up to the worker's time have happened.
  void run_worker(std::uint32_t number, bool is_caught_up);
  ActionResult run_rank(std::uint32_t number);
  // Advances the rank's pending calls as far as possible at its worker's time. Returns `retries` if earlier events are
  // still to come.
  ActionResult advance_calls(std::uint32_t number);
  void leave_call(std::uint32_t number);  // for the timeline
  ActionResult message(std::uint32_t number, const Action& action);
  ActionResult wait(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  ActionResult wait_with_calls(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  ActionResult wait_for_unknown(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  ActionResult collective(std::uint32_t number, const Action& action);
  ActionResult run_in_memory(std::uint32_t number, const Action& action);
  ActionResult arrive_at_barrier(std::uint32_t number, const Action& action);
  ActionResult begin_collective(std::uint32_t number, const Action& action);
  ActionResult migrate(std::uint32_t number, const Action& action);
  void compute(std::uint32_t number, const Action& action);
  void end(std::uint32_t number);
  // Whether events before the worker's time are still to come.
  [[nodiscard]] bool is_ahead(const WorkerState& worker) const {
    return !is_caught_up_ && !state_.events.empty() && state_.events.next_time() < worker.now;
  }

  const Workload& workload_;
  SimState state_;
  Messaging messaging_;
  PendingCalls pending_;
  Collectives collectives_;
  Balancing balancing_;
  Scheduler scheduler_;
  Pairing pairing_;
  std::uint64_t actions_ = 0;
  std::uint32_t running_ = 0;  // ranks that have not ended
  bool is_caught_up_ = false;  // all events up to the running worker's time have happened
  ReplayResult result_;
};

}  // namespace weft::sim
