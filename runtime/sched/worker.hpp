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

// A rank that parks finds the next one itself and switches to it directly: Scheduler finds it, Dispatcher switches, and
// WorkerThreads does both once several threads take turns. Everything but the inbox is touched by the worker's thread
// alone; once threads of its ranks may call, by the thread that holds the worker lock.
// The layers above derive from it what they keep for each worker, and are called through WorkerHooks.
class Worker : private Scheduler {
 public:
  Worker(WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config);

  // The worker that the calling thread runs, or whose lock it holds; null elsewhere. Read anew after every suspension:
  // a fibre may wake on another thread.
  static Worker* current() { return static_cast<Worker*>(Dispatcher::current()); }

  // Thread body: starts the ranks, runs them until end(). `core`: where the thread is bound to, or none. Throws what
  // WorkerHooks::stack_for() does, and as Counter where its clock is needed.
  void run(std::span<RankContext* const> ranks, std::optional<std::uint32_t> core, const ClockChoice& clock = {});
  // Any thread: makes the worker return from run() once it has nothing ready. Called once.
  void end();

  const WorkerHooks& hooks() const { return bound_hooks().all(); }
  const WorkerMeter& meter() const { return Dispatcher::meter(); }
  // Where the job's timeline is written down; null where nobody asked for one.
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
  // Lets messages arrive and other ready ranks run; whether any has.
  bool yield();
  // spin_until() for a rank that others share the worker with: lets them go on between its looks.
  template <typename Done>
  static bool look_until(Done&& done);
  // Suspends the running context until then; false if a signal handler of its rank ended the sleep before.
  bool sleep_until(MonotonicTime until);
  // Any thread, also in a signal handler: the ranks that sleep look whether they were interrupted.
  void interrupt_sleeps() { sleep().interrupt(); }
  // Suspends the running rank, which goes elsewhere: `left` runs here once nobody stands on its stack. Returns where
  // the rank is made ready again.
  void leave(RankContext& me, void (*left)(Worker& here, RankContext& rank));
  // The same for one that has ended (set_ended()).
  [[noreturn]] void leave_for_good(RankContext& me, void (*left)(Worker& here, RankContext& rank));

 private:
  void depart(RankContext& me, bool dying);
  void run_alone();  // until the worker ends, or threads are to share it
  // Before a switch to what next_ready() or between_ranks() has found: a rank whose threads may call, and which has
  // come out of the inbox there, lets threads share the worker.
  void bind_if_shared(ExecutionContext& next) {
    if (own_lock() != nullptr) [[unlikely]] {
      threads_.bind(next);
    }
  }

  Recorder* const recorder_;
  WorkerThreads threads_;
};

template <typename Done>
bool Worker::look_until(Done&& done) {
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
