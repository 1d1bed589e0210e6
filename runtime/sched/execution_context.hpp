// What runs and waits on a worker: a rank's own fibre, or a call of one of its threads.
#pragma once

#include <cstdint>

#include "runtime/fiber/fiber.hpp"

namespace weft::runtime {

class Rank;
class LockWaiter;
class Team;
struct MatchKey;
struct Request;

struct alignas(64) ExecutionContext {
  enum class State : std::uint8_t { ready, running, parked, moving, ended, dormant };

  Fiber fiber;  // a rank's own strand; a thread's call runs on that thread's stack
  State state = State::ready;
  std::uint32_t waiting_for = 0;     // requests still to come before it is made ready
  ExecutionContext* next = nullptr;  // in a worker's ready queue or a team's waiting list
  Rank* owner = nullptr;
  // Where a thread waits that alone can go on with the strand (see WorkerLock); null: whoever runs the worker can.
  LockWaiter* seat = nullptr;
  std::uint32_t calls = 0;  // of the layer above that it is inside of; counted where threads may call
  bool calls_are_counted = false;

  // What it does, for reports: the call of the layer above that it is in or was last in, and what it waits for.
  const char* call = "main";
  const Request* waiting_on = nullptr;
  const Team* meeting = nullptr;
  const MatchKey* probing = nullptr;

  ExecutionContext* next_prober = nullptr;  // in Rank::probers
  ExecutionContext* next_waiter = nullptr;  // in Rank::waiters
};

}  // namespace weft::runtime
