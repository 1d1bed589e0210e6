// Nonblocking collective calls that have started. As in the runtime, a rank advances its own calls whenever it waits in
// a call, and never while it computes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/messaging.hpp"
#include "sim/state.hpp"

namespace weft::sim {

// A member's steps of a call: sends, receives, waits and work, up to `stop`. Channel numbers are those of the job;
// request slots are relative to the call's first one.
struct CallProgram {
  std::vector<Action> actions;
  std::uint32_t requests = 0;
};

class PendingCalls {
 public:
  PendingCalls(SimState& state, Messaging& messaging) : state_(state), messaging_(messaging) {}

  // Consecutive requests.
  struct RequestRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  // The running rank starts the call. `request` completes when all steps are done; `program` must live until then.
  void begin(std::uint32_t rank, const CallProgram& program, std::uint32_t request);
  // The running rank does what its calls can do at its worker's time.
  void advance(std::uint32_t rank);
  // Completes these requests if all of them are done at the worker's time. Returns whether they were, as MPI_Testall.
  bool complete_if_done(std::uint32_t rank, const RequestRange& range);

  // The rank waits for these requests, and for those that its calls need next. Advance_calls events follow: one as soon
  // as it can_advance(), and maybe others before.
  void await(std::uint32_t rank, const RequestRange& range);
  // Whether the rank waits after await() and, at `now`, its own requests or those of one call are done.
  [[nodiscard]] bool can_advance(std::uint32_t rank, Seconds now) const;

 private:
  struct Call {
    const Action* next = nullptr;
    RequestRange slots{};
    std::uint32_t request = 0;
  };
  struct CallsOfRank {
    std::vector<Call> calls{};
    std::vector<RequestRange> unused{};  // slots of calls that have ended
    RequestRange awaited{};              // by the rank itself
  };

  RequestRange take_slots(CallsOfRank& rank, std::uint32_t count);
  // Returns whether the call is complete.
  bool advance_call(std::uint32_t rank, Call& call);
  void schedule_wakeup(std::uint32_t rank, const RequestRange& range);
  [[nodiscard]] bool all_done(const RequestRange& range, Seconds now) const;
  static RequestRange awaited_by(const Call& call) { return {call.slots.first + call.next->request, call.next->index}; }

  SimState& state_;
  Messaging& messaging_;
  std::unordered_map<std::uint32_t, CallsOfRank> ranks_;
};

}  // namespace weft::sim
