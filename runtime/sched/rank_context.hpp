// What the scheduler knows of a rank. The layers above derive from it what they know: Endpoint, Member, Rank.
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

// What senders to the rank read: in a cache line that is not written while the rank computes and communicates.
struct alignas(64) RankLocation {
  RankLocation(RankId rank, Worker* home, ProcessId home_process) : id(rank), process(home_process), worker(home) {}

  const RankId id;
  std::uint32_t worker_number = 0;  // of the worker, where debuggers can read it
  ProcessId process;                // where it lives; written only while every rank of the job is parked
  WorkerWord worker;                // null while it lives in another process; changes at any time with --lb-continuous
  Worker* next_worker = nullptr;    // where it goes, while it leaves this worker in a balancing step
};

// The rank is the context that its own fibre runs on. Owned by one worker at a time.
class RankContext : public ExecutionContext, public RankLocation {
 public:
  // `home` is null for a rank of another process.
  RankContext(RankId rank, Worker* home, ProcessId home_process) : RankLocation(rank, home, home_process) {
    owner = this;
    arrival_item.owner = this;
  }
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  // The rank has ended; its worker has yet to switch away from it.
  void set_ended() {
    state = State::ended;
    // Pairs with RankTable::lives_here(): a thread that finds the rank ended sees what it has cost.
    ended.store(true, std::memory_order_release);
  }

  alignas(64) Load load;
  void* upper_state = nullptr;      // the state that the layer above the runtime keeps of this rank
  std::atomic<bool> ended = false;  // state is `ended`, for other threads
  // Threads that the rank starts: see thread_calls.hpp.
  std::atomic<bool> threads_allowed = false;  // to make calls
  bool threads_have_called = false;           // at least one has, or it has waited in a parallel region of OpenMP
  bool in_step = false;                       // between the barriers of a step: no thread may make its first call
  std::atomic<bool> has_threads = false;      // there may be some
  std::uint32_t thread_calls_under_way = 0;
  // Calls by which the program waits without MPI: see pauses.hpp.
  std::atomic<bool> interrupted = false;  // one of its signal handlers has run since it went to sleep
  std::uint32_t suspension_guards = 0;    // how many SuspensionGuards exist: while there is any it is not suspended
  OwnedItem<RankContext> arrival_item;    // the inbox item by which it comes to another worker
  // Set when it leaves its worker: called there once no thread uses its stack any more.
  void (*on_left)(Worker& here, RankContext& rank) = nullptr;
};

// The rank whose fibre calls; null on other threads and stacks. To be read anew after every suspension.
RankContext* current_context();

}  // namespace sched
}  // namespace weft::runtime
