// What runs and waits on a worker: a rank's own fibre, or a call of one of its threads.
#pragma once

#include <cstdint>

#include "runtime/fiber/fiber.hpp"

namespace weft::runtime {
inline namespace p2p {
struct MatchKey;
struct Request;
}  // namespace p2p

inline namespace sync {
class Team;
}  // namespace sync

inline namespace sched {

class LockWaiter;
class RankContext;

struct alignas(64) ExecutionContext {
  // moving: a rank between two workers or processes. dormant: a spawned rank's number that is not in use.
  enum class State : std::uint8_t { ready, running, parked, moving, ended, dormant };

  Fiber fiber;  // used by a rank's own context only: a thread's call runs on that thread's stack
  State state = State::ready;
  std::uint32_t waiting_for = 0;     // requests that must still be done before it is made ready
  ExecutionContext* next = nullptr;  // in a worker's ready queue, or in the list of the object that parked it
  RankContext* owner = nullptr;
  // Of the only thread that can go on with the context (see WorkerLock); null: any thread of the worker can.
  LockWaiter* lock_waiter = nullptr;
  std::uint32_t calls = 0;  // nesting depth of calls of the layer above; counted where threads may make calls
  bool calls_are_counted = false;

  // For reports: the call of the layer above that it is in or was last in, and what it waits for. Written by the layers
  // that park it; the scheduler does not read them.
  const char* call = "main";
  const Request* waiting_on = nullptr;
  const Team* at_barrier = nullptr;
  const MatchKey* probing = nullptr;
  bool probe_failed = false;  // woken since the message that it probed for may never come

  ExecutionContext* next_prober = nullptr;  // in Endpoint::probers
  ExecutionContext* next_waiter = nullptr;  // in Endpoint::waiters
};

}  // namespace sched
}  // namespace weft::runtime
