// What the scheduler knows of a rank. The layers above derive what they know of it: Endpoint, Member, Rank.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"
#include "runtime/sched/execution_context.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/load.hpp"
#include "runtime/sched/worker_word.hpp"

namespace weft::runtime {
inline namespace sched {

class Worker;

// What everybody reads who sends to the rank: in a cache line that the rank's own doings do not take away.
struct alignas(64) RankLocation {
  RankLocation(RankId rank, Worker* home, ProcessId home_process) : id(rank), process(home_process), worker(home) {}

  const RankId id;
  std::uint32_t worker_number = 0;  // the worker's, where debuggers can read it
  ProcessId process;                // where it lives; written only while every rank of the job is parked
  WorkerWord worker;                // null while that is another process; changes at any time with --lb-continuous
  Worker* goes_to = nullptr;        // its next worker, while it leaves this one in a balancing step
};

// The rank is the context that its own fibre runs on. Owned by one worker at a time.
class RankContext : public ExecutionContext, public RankLocation {
 public:
  // `home` is null for a rank of another process.
  RankContext(RankId rank, Worker* home, ProcessId home_process) : RankLocation(rank, home, home_process) {
    owner = this;
    hand_over.owner = this;
  }
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // It is over; its worker has yet to switch away from it.
  void set_ended() {
    state = State::ended;
    // Pairs with tell_loads(): what it cost is visible to who finds it ended.
    ended.store(true, std::memory_order_release);
  }

  alignas(64) Load load;
  void* upper_state = nullptr;      // the state that the layer above the runtime keeps of this rank
  std::atomic<bool> ended = false;  // state is `ended`, for other threads
  // Threads of the rank: see thread_calls.hpp.
  std::atomic<bool> threads_allowed = false;  // to make calls
  bool threads_call = false;                  // at least one has
  bool in_step = false;                       // between the barriers of a balancing step: no first call of a thread now
  std::atomic<bool> has_threads = false;      // there may be some
  std::uint32_t threads_in = 0;               // calls of theirs that are under way
  // Calls by which the program waits: see pauses.hpp.
  std::atomic<bool> interrupted = false;  // a signal handler of the rank's has run since it went to sleep
  std::uint32_t no_pauses = 0;            // functions of the program's that must not be suspended are running
  OwnedItem<RankContext> hand_over;       // travels when it changes its worker
  // Set when it leaves its worker: runs there once nobody stands on its stack any more.
  void (*left)(Worker& here, RankContext& rank) = nullptr;
};

// The rank whose fibre calls; null on other threads and stacks. Read anew after every suspension.
RankContext* current_context();

}  // namespace sched
}  // namespace weft::runtime
