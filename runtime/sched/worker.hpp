// A thread bound to one core that runs the fibres of its ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/rank_context.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/worker_hooks.hpp"
#include "runtime/sched/worker_threads.hpp"

namespace weft::runtime {
inline namespace sched {

// A rank that parks switches directly to the next one: Scheduler finds that, Dispatcher switches, and WorkerThreads
// does both once several threads take turns. Everything but the inbox is touched by the worker's thread only; once
// threads of its ranks may make calls, by the thread that holds the worker lock.
// The layers above derive from it what they keep for each worker, and are called through WorkerHooks.
class Worker : private Scheduler {
 public:
  Worker(WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config);

  // The worker that the calling thread runs, or whose lock it holds; null elsewhere. To be read anew after every
  // suspension: a fibre may wake on another thread.
  static Worker* current() { return static_cast<Worker*>(Dispatcher::current()); }

  // The body of its thread: starts the ranks and runs them until end(). `core`: to which the thread is bound, or none.
  // Throws what WorkerHooks::stack_for() does, and what Counter does if a clock with ClockChoice::is_needed cannot be
  // had.
  void run(std::span<RankContext* const> ranks, std::optional<std::uint32_t> core, const ClockChoice& clock = {});
  // Any thread: makes the worker return from run() once it has nothing ready. Called once.
  void end();

  const WorkerHooks& hooks() const { return bound_hooks().all(); }
  const WorkerMeter& meter() const { return Dispatcher::meter(); }
  // Records the worker's events for the job's timeline; null where none is recorded.
  Recorder* recorder() const { return recorder_; }
  WorkerThreads& threads() { return threads_; }
  // The thread that runs the running rank: see WorkerThreads::running_thread().
  int thread() const { return threads_.running_thread(); }

  using Dispatcher::context;
  using Dispatcher::id;
  using Dispatcher::lock;
  using Dispatcher::make_ready;
  using Dispatcher::note_preemption;
  using Dispatcher::preempted_at;
  using Dispatcher::run_queue;
  using Dispatcher::running;
  using Dispatcher::running_since;
  using Dispatcher::set_stack;
  using Dispatcher::update_load;
  using Scheduler::cancel;
  using Scheduler::defer;
  using Scheduler::deliver_inbox;
  using Scheduler::exposes;
  using Scheduler::inbox;
  using Scheduler::run_deferred;
  using Scheduler::set_exposes;
  using Scheduler::sleepers;
  using Scheduler::spin_until;

  // Suspends the running context until make_ready().
  void park(ExecutionContext& me);
  // Lets messages arrive and other ready ranks run. Returns whether any has.
  bool yield();
  // As spin_until(), for a rank that shares its worker with others: lets them run between the calls of done().
  template <typename Done>
  static bool yield_until(Done&& done);
  // Suspends the running context until that time; false if a signal handler of its rank has ended the sleep earlier.
  bool sleep_until(MonotonicTime until);
  // Any thread, also in a signal handler: has the sleeping ranks checked for interrupted ones.
  void interrupt_sleeps() { sleep().interrupt(); }
  // Suspends the running rank, which moves away: `on_left` is called here once no thread uses its stack any more.
  // Returns on the worker where the rank is made ready again.
  void leave(RankContext& me, void (*on_left)(Worker& here, RankContext& rank));
  // The same for a rank that has ended (set_ended()).
  [[noreturn]] void leave_for_good(RankContext& me, void (*on_left)(Worker& here, RankContext& rank));

 private:
  void depart(RankContext& me, bool dying);
  void run_alone();  // until the worker ends, or threads are to share it
  // Before a switch to a context that next_ready() or between_ranks() has found. These may have delivered a rank whose
  // threads may make calls, so that threads share the worker since.
  void bind_if_shared(ExecutionContext& next) {
    if (own_lock() != nullptr) [[unlikely]] {
      threads_.bind(next);
    }
  }

  Recorder* const recorder_;
  WorkerThreads threads_;
};

template <typename Done>
bool Worker::yield_until(Done&& done) {
  const std::uint64_t start = ticks();
  do {
    Worker& here = *current();  // the rank may wake on another one
    if (here.has_work()) {
      here.yield();
      if (done()) {
        return true;
      }
    } else if (here.spin_until(done)) {
      return true;
    }
  } while (ticks() - start < current()->shortest_spin());
  return false;
}

}  // namespace sched
}  // namespace weft::runtime
