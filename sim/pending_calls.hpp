// Collective calls with a request that ranks have begun. As in the runtime, a rank goes on with its own whenever it
// waits in a call, and never while it computes.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/messaging.hpp"
#include "sim/state.hpp"

namespace weft::sim {

// A member's steps of a call: sends, receives, waits, and work, up to `stop`. Channels are those of the job, and
// request slots count from where the call's begin.
struct CallProgram {
  std::vector<Action> actions;
  std::uint32_t requests = 0;
};

class PendingCalls {
 public:
  PendingCalls(SimState& state, Messaging& messaging) : state_(state), messaging_(messaging) {}

  // Requests in a row.
  struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  // The rank runs, and begins the call, whose steps must stay where they are; `request` is complete when they are done.
  void begin(std::uint32_t rank, const CallProgram& program, std::uint32_t request);
  // The rank runs, and does what its calls can do at its worker's time.
  void advance(std::uint32_t rank);
  // The rank goes past a wait for these if they have come; false: they have not.
  bool pass(std::uint32_t rank, const Run& run);

  // The rank waits for these requests, and for what its calls need next. Events come when it can_go_on().
  void await(std::uint32_t rank, const Run& run);
  // Whether the rank waits as await() says, and something of that has come by `now`.
  [[nodiscard]] bool can_go_on(std::uint32_t rank, Seconds now) const;

 private:
  struct Call {
    const Action* next = nullptr;
    Run slots{};
    std::uint32_t request = 0;
  };
  struct RankCalls {
    std::vector<Call> calls{};
    std::vector<Run> unused{};  // slots of calls that have ended
    Run awaited{};              // beside what the calls need
  };

  Run take_slots(RankCalls& rank, std::uint32_t count);
  bool finish(std::uint32_t rank, Call& call);
  void expect(std::uint32_t rank, const Run& run);
  [[nodiscard]] bool has_come(const Run& run, Seconds now) const;
  static Run needs(const Call& call) { return {call.slots.first + call.next->request, call.next->index}; }

  SimState& state_;
  Messaging& messaging_;
  std::unordered_map<std::uint32_t, RankCalls> ranks_;
};

}  // namespace weft::sim
