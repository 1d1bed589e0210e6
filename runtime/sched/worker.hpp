// A thread bound to one core that runs the fibres of its ranks.
#pragma once

#include <immintrin.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/idle_spin.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/rank_context.hpp"
#include "runtime/sched/run_queue.hpp"
#include "runtime/sched/sleeping_ranks.hpp"
#include "runtime/sched/worker_hooks.hpp"
#include "runtime/sched/worker_lock.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {
inline namespace sched {

// Ticks that one thread writes and others may read.
class SharedTicks {
 public:
  SharedTicks& operator=(std::uint64_t value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// Something that a worker does when it has nothing else to run, or earlier. Owned by who defers it.
struct DeferredWork {
  DeferredWork* next = nullptr;
  void (*run)(Worker& here, DeferredWork& work) = nullptr;  // the work may be deferred again, or end, in this
};

// There is no scheduler fibre: a rank that parks finds the next one itself and switches to it directly, and with
// nothing ready it waits for the inbox on its own stack. Everything but the inbox is touched by the worker's thread
// alone; once threads of its ranks may call, by the thread that holds the worker lock.
// The layers above derive from it what they keep for each worker, and are called through WorkerHooks.
class Worker {
 public:
  Worker(WorkerId id, const WorkerHooks& hooks, const WorkerConfig& config);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The worker that the calling thread runs, or whose lock it holds; null elsewhere. Read anew after every suspension:
  // a fibre may wake on another thread.
  static Worker* current();
  // Null for threads that run no ranks.
  static WorkerThread* this_thread();
  // The calling thread is that of a process which fork() has just made: it runs no ranks there.
  static void forget_this_thread();

  // Thread body: starts the ranks, runs them until end(). `core`: where the thread is bound to, or none. Throws what
  // WorkerHooks::stack_for() does, and as Counter where its clock is needed.
  void run(std::span<RankContext* const> ranks, std::optional<std::uint32_t> core, const ClockChoice& clock = {});

  WorkerId id() const { return id_; }
  RankContext* running() const { return running_; }
  ExecutionContext* context() const { return context_; }  // of the running rank's
  Inbox& inbox() { return inbox_; }
  RunQueue& run_queue() { return run_queue_; }
  const WorkerHooks& hooks() const { return hooks_; }

  // Gives a rank that is to start this stack, and its fibre.
  static void set_stack(RankContext& rank, std::span<std::byte> stack);
  // Puts a context of a rank of this worker at the end of the ready queue.
  void make_ready(ExecutionContext& context);
  // Suspends the running context until make_ready().
  void park(ExecutionContext& me);
  // Lets messages arrive and other ready ranks run; whether any has.
  bool yield();
  // Suspends the running context until then; false if a signal handler of its rank ended the sleep before.
  bool sleep_until(MonotonicTime until);
  // Any thread, also in a signal handler: the ranks that sleep look whether they were interrupted.
  void interrupt_sleeps();
  const SleepingRanks& sleepers() const { return sleepers_; }
  // Looks again and again, on the running rank's stack, until done() or there is something else to do here or it has
  // looked as long as an idle worker polls; the last done().
  template <typename Done>
  bool spin_until(Done&& done);
  // The same for a rank that others share the worker with: lets them go on between its looks.
  template <typename Done>
  static bool look_until(Done&& done);
  // Suspends the running rank, which goes elsewhere: `left` runs here once nobody stands on its stack. Returns where
  // the rank is made ready again.
  void leave(RankContext& me, void (*left)(Worker& here, RankContext& rank));
  // The same for one that has ended (set_ended()).
  [[noreturn]] void leave_for_good(RankContext& me, void (*left)(Worker& here, RankContext& rank));
  // Counts the running rank's cycles until now.
  void update_load() { charge(ticks()); }
  // Delivers everything in the inbox.
  void deliver_inbox();

  // Work that is not in the list yet; work that is.
  void defer(DeferredWork& work);
  void cancel(DeferredWork& work);
  void run_deferred();

  // Ranks of this worker lie where other workers may take them: withdraw_exposed() takes them back before the inbox is
  // next emptied.
  void set_exposes(bool exposes) { exposes_ = exposes; }
  bool exposes() const { return exposes_; }

  // Any thread: makes the worker return from run() once it has nothing ready. Called once.
  void end();

  // Threads of its ranks may call from now on. On the worker's thread.
  void share_with_threads();
  // Null before that. Any thread. Pairs with share_with_threads().
  WorkerLock* lock() const { return lock_.load(std::memory_order_acquire); }
  // With the worker lock: the context goes on in a call that it begins or was suspended in; it leaves the call for the
  // program, and the lock with it.
  void enter_mpi(ExecutionContext& context);
  void leave_mpi();
  // With the worker lock: a thread of this rank calls for the first time, or may do so any time.
  void admit_threads(RankContext& rank);
  // Body of a further thread of the worker.
  void run_thread(WorkerThread& thread);
  // Whoever sleeps for the worker: it does from now on, and does no longer.
  void begin_sleep(bool waits_for_others);
  void end_sleep(bool waits_for_others);
  bool may_sleep() const;  // nothing to poll for has come

  // For who decides whether the running rank is preempted, on any thread. The thread that runs it, as the system knows
  // it; 0: none yet. Ticks: since when it has run, as far as the worker has heard; and when a rank of this worker was
  // last preempted. Pairs with run() and bind().
  int thread() const { return thread_.load(std::memory_order_acquire); }
  std::uint64_t running_since() const { return segment_start_; }
  std::uint64_t preempted_at() const { return preempted_at_; }
  // On the worker's thread: the running rank is going to yield without having asked to.
  void note_preemption() { preempted_at_ = ticks(); }

  const WorkerMeter& meter() const { return meter_; }
  // Where the job's timeline is written down; null where nobody asked for one.
  Recorder* recorder() const { return recorder_; }

 private:
  static void set_current(Worker* worker);
  static void enter(Fiber& self, Fiber& from);
  ExecutionContext* next_ready();  // waits; null when the job ends
  void wake_sleepers() {           // those whose time has come are ready
    if (sleepers_.any()) [[unlikely]] {
      wake_due();
    }
  }
  void wake_due();
  void between_ranks(bool with_deferred);
  void idle();
  void call(void (*hook)(Worker& here)) {
    if (hook != nullptr) {
      hook(*this);
    }
  }
  void poll() { call(hooks_.poll); }  // lets messages of other processes arrive
  bool on_idle(bool long_idle) { return hooks_.on_idle != nullptr && hooks_.on_idle(*this, long_idle); }
  bool spin_for_work();
  // By the worker's own threads alone, which have made the lock.
  WorkerLock* own_lock() const { return lock_.load(std::memory_order_relaxed); }
  bool has_work() const {
    return !inbox_.empty() || !run_queue_.empty() || exposes_ || deferred_ != nullptr ||
           (own_lock() != nullptr && own_lock()->contended()) || sleepers_.is_due();
  }
  void sleep_for_work();
  void runs(ExecutionContext& next);  // is about to
  void switch_from(ExecutionContext& me, ExecutionContext& next);
  void depart(RankContext& me, bool dying);
  void finish_switch();  // finishes what the rank that was left could not do itself
  void charge(std::uint64_t now);
  // While threads share the worker.
  void park_in_turn(ExecutionContext& me);
  bool yield_in_turn(ExecutionContext& me);
  void go_home(ExecutionContext& me, bool dying);
  void work_in_turns(WorkerThread& thread);
  void rest_in_turn(WorkerThread& thread);
  void bind(ExecutionContext& next);  // runs() there
  bool needs_a_thread() const;        // there is work that only a thread of the worker can do

  const WorkerId id_;
  const WorkerHooks hooks_;
  IdleSpin idle_spin_;
  Recorder* const recorder_;
  const std::uint64_t stack_guard_;
  WorkerThread first_;  // the worker's own thread
  RankContext* running_ = nullptr;
  ExecutionContext* context_ = nullptr;
  RankContext* departed_ = nullptr;  // just left for good or for another worker
  RunQueue run_queue_;
  DeferredWork* deferred_ = nullptr;
  bool stopping_ = false;
  bool exposes_ = false;
  std::atomic<int> thread_ = 0;
  SharedTicks segment_start_;
  SharedTicks preempted_at_;
  std::atomic<WorkerLock*> lock_ = nullptr;  // owned
  WorkerMeter meter_;
  Inbox inbox_;
  SleepingRanks sleepers_;
};

template <typename Done>
bool Worker::spin_until(Done&& done) {
  constexpr int kFewLooks = 16;  // so few count as the rank's own time
  for (int i = 0; i < kFewLooks; ++i) {
    if (done()) {
      return true;
    }
    _mm_pause();
  }
  const std::uint64_t start = ticks();
  charge(start);
  bool over = false;
  while (!over && !has_work() && ticks() - start < idle_spin_.shortest()) {
    poll();
    for (int i = 0; i < kFewLooks && !over; ++i) {
      _mm_pause();
      over = done();
    }
  }
  segment_start_ = meter_.begin_segment();
  meter_.idled(start, segment_start_, false);
  return over;
}

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
  } while (ticks() - start < current()->idle_spin_.shortest());
  return false;
}

}  // namespace sched
}  // namespace weft::runtime
