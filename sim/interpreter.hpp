// Carries out the ranks' actions. A rank goes on until it must wait, which it can do ahead of the events; only where it
// comes to a wait before it is known whether it must wait does its worker look again at that time.
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
  // The workload has been checked.
  Interpreter(const Workload& workload, const Platform& platform, const ReplayOptions& options);

  ReplayResult run();

 private:
  enum class Outcome : std::uint8_t { goes_on, calls, waits, looks_again };

  void handle(const Event& event);
  // The worker's ranks run until none can.
  void run_worker(std::uint32_t number, bool looks_again);
  Outcome run_rank(std::uint32_t number);
  // Pending calls of the rank have gone on as far as they can at its worker's time; or this is not known yet.
  Outcome go_on_with_calls(std::uint32_t number);
  // For the timeline.
  void leave_call(std::uint32_t number);
  Outcome message(std::uint32_t number, const Action& action);
  Outcome wait(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  Outcome wait_with_calls(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  Outcome wait_for_unknown(std::uint32_t number, std::uint32_t first, std::uint32_t count);
  Outcome collective(std::uint32_t number, const Action& action);
  Outcome meet_in_memory(std::uint32_t number, const Action& action);
  Outcome come_to_meeting(std::uint32_t number, const Action& action);
  Outcome begin_collective(std::uint32_t number, const Action& action);
  Outcome migrate(std::uint32_t number, const Action& action);
  void compute(std::uint32_t number, const Action& action);
  void end(std::uint32_t number);
  // The rank is at a time at which not all is known yet that has happened before.
  [[nodiscard]] bool is_ahead(const WorkerState& worker) const {
    return !looks_again_ && !state_.events.empty() && state_.events.next_time() < worker.now;
  }
  [[nodiscard]] std::uint32_t requests_of(const RankState& rank) const {
    return rank.after_call != nullptr ? rank.call_requests : rank.first_request;
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
  bool looks_again_ = false;   // all events up to the worker's time have happened
  ReplayResult result_;
};

}  // namespace weft::sim
