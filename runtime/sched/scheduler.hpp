// Finds what a worker runs next: lets messages arrive, runs deferred work, wakes ranks whose sleep is over, and idles
// while there is nothing.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "runtime/meter/ticks.hpp"
#include "runtime/sched/deferred_work.hpp"
#include "runtime/sched/dispatcher.hpp"
#include "runtime/sched/idle_spin.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/worker_sleep.hpp"

namespace weft::runtime {
inline namespace sched {

// There is no scheduler fibre: all of this runs on the stack of the rank that has just stopped, or of the thread that
// has just begun. Which thread may touch it is said at Dispatcher; any thread may push to the inbox.
class Scheduler : public Dispatcher {
 public:
  Scheduler(WorkerId id, Worker& here, const WorkerHooks& hooks, const WorkerConfig& config);

  Inbox& inbox() { return sleep_.inbox(); }
  // Delivers everything in the inbox.
  void deliver_inbox();
  // Lets messages from other processes arrive.
  void poll() { bound_hooks().poll(); }

  // Adds work that is not in the list; removes work that is.
  void defer(DeferredWork& work) { deferred_.add(work); }
  void cancel(DeferredWork& work) { deferred_.remove(work); }
  bool has_deferred() const { return !deferred_.empty(); }
  void run_deferred() { deferred_.run(bound_hooks().here()); }

  // Whether ranks of this worker are exposed to other workers. If so, withdraw_exposed() takes them back before the
  // inbox is next emptied.
  void set_exposes(bool exposes) { exposes_ = exposes; }
  bool exposes() const { return exposes_; }

  WorkerSleep& sleep() { return sleep_; }
  const SleepingRanks& sleepers() const { return sleep_.ranks(); }

  // What is done between two ranks, whichever runs next. `with_deferred`: also deferred work, where the running rank
  // would otherwise go on at once.
  void between_ranks(bool with_deferred) {
    poll();
    deliver_inbox();
    if (with_deferred && has_deferred()) {
      run_deferred();
    }
    bound_hooks().scheduling_point();
    wake_sleepers();
  }
  // Waits for the next context that is ready; null once the worker is to end and there is none.
  ExecutionContext* next_ready();

  // Makes the worker end once nothing is ready.
  void stop() { is_stopping_ = true; }
  bool is_stopping() const { return is_stopping_; }

  // Whether this worker has anything to do besides running the current rank.
  bool has_work() const {
    return !sleep_.inbox().empty() || !run_queue().empty() || exposes_ || has_deferred() ||
           (own_lock() != nullptr && own_lock()->contended()) || sleepers().is_due();
  }
  // Polls for something to do, as long as an idle worker polls; whether there is something.
  bool spin_for_work();
  // Calls done() again and again, on the running rank's stack, until it is true, or this worker has something else to
  // do, or as long as an idle worker polls. Returns the last result of done().
  template <typename Done>
  bool spin_until(Done&& done);
  bool has_own_core() const { return idle_spin_.has_own_core(); }
  std::uint64_t shortest_spin() const { return idle_spin_.shortest(); }

 private:
  void wake_sleepers() {  // makes those ready whose time has come
    if (sleepers().any()) [[unlikely]] {
      wake_due();
    }
  }
  void wake_due();
  void idle();

  DeferredWorkList deferred_;
  bool is_stopping_ = false;
  bool exposes_ = false;
  IdleSpin idle_spin_;
  WorkerSleep sleep_;
};

template <typename Done>
bool Scheduler::spin_until(Done&& done) {
  constexpr int kChecks = 16;  // so few count as the rank's own time
  for (int i = 0; i < kChecks; ++i) {
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
    for (int i = 0; i < kChecks && !over; ++i) {
      _mm_pause();
      over = done();
    }
  }
  begin_segment();
  meter().idled(start, running_since(), false);
  return over;
}

}  // namespace sched
}  // namespace weft::runtime
