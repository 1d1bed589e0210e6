// What runs on a worker: switches from one context to the next, and charges each rank for the time that it ran.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/ids.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/rank_context.hpp"
#include "runtime/sched/run_queue.hpp"
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

// Has the ready contexts, but does not look for more: Scheduler does. Touched by the worker's thread alone; once
// threads of its ranks may call, by the one that holds the worker lock.
class Dispatcher {
 public:
  Dispatcher(WorkerId id, Worker& here, const WorkerHooks& hooks) : id_(id), hooks_(here, hooks) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // That of the worker that the calling thread runs, or whose lock it holds; null elsewhere. Read anew after every
  // suspension: a fibre may wake on another thread.
  static Dispatcher* current();
  static void set_current(Dispatcher* dispatcher);

  WorkerId id() const { return id_; }
  const BoundHooks& bound_hooks() const { return hooks_; }
  RankContext* running() const { return running_; }
  ExecutionContext* context() const { return context_; }  // of the running rank's
  RunQueue& run_queue() { return run_queue_; }
  const RunQueue& run_queue() const { return run_queue_; }
  WorkerMeter& meter() { return meter_; }
  const WorkerMeter& meter() const { return meter_; }

  // Gives a rank that is to start this stack, and its fibre.
  static void set_stack(RankContext& rank, std::span<std::byte> stack);
  // Puts a context of a rank of this worker at the end of the ready queue; or, where one thread alone can go on with
  // it, has that thread wait for the worker lock.
  void make_ready(ExecutionContext& context);

  // The next context is about to run; none is.
  void runs(ExecutionContext& next) {
    context_ = &next;
    running_ = next.owner;
    next.state = ExecutionContext::State::running;
  }
  void runs_nothing() {
    context_ = nullptr;
    running_ = nullptr;
  }
  // From the running context to a ready one. Returns where the first is switched to again.
  void switch_from(ExecutionContext& me, ExecutionContext& next) {
    stop(me);
    if (!run_queue_.empty()) {
      hooks_.before_switch(next, me);
    }
    runs(next);
    me.fiber.switch_to(next.fiber);
    current()->finish_switch();
  }
  // From the running context to a ready one or, where that is null, to a thread's own stack. `dying`: it does not come
  // back.
  void switch_away(ExecutionContext& me, ExecutionContext* next, Fiber& home, bool dying);
  // From a thread's own stack. Returns when some context has left for it.
  void switch_from_home(Fiber& home, ExecutionContext& next) {
    runs(next);
    home.switch_to(next.fiber);
    finish_switch();
  }
  // Once the next switch is over, which leaves this rank, its RankContext::left is called.
  void departs(RankContext& me) { departed_ = &me; }

  // The time that comes now is the running rank's, or will be that of who runs next.
  void begin_segment() { segment_start_ = meter_.begin_segment(); }
  // The running rank has run until then.
  void charge(std::uint64_t now) {
    const std::uint64_t spent = meter_.cost(segment_start_, now);
    std::atomic<std::uint64_t>& cycles = running_->load.cycles;
    cycles.store(cycles.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
    hooks_.charged(*running_, segment_start_, now);
    segment_start_ = now;
  }
  void update_load() { charge(ticks()); }

  // Threads take turns at the worker from now on, by this lock. On the worker's thread. Pairs with lock().
  void share(WorkerLock& lock) { lock_.store(&lock, std::memory_order_release); }
  // Null before that. Any thread. Pairs with share(): who finds it finds it whole.
  WorkerLock* lock() const { return lock_.load(std::memory_order_acquire); }
  // By the worker's own threads alone, which have made the lock.
  WorkerLock* own_lock() const { return lock_.load(std::memory_order_relaxed); }

  // Any thread, for who decides whether the running rank is preempted. Ticks: since when it has run, as far as the
  // worker has heard; and when a rank of this worker was last preempted.
  std::uint64_t running_since() const { return segment_start_; }
  std::uint64_t preempted_at() const { return preempted_at_; }
  // On the worker's thread: the running rank is going to yield without having asked to.
  void note_preemption() { preempted_at_ = ticks(); }

 private:
  static void enter(Fiber& self, Fiber& from);
  // The running context gives way: what it has cost.
  void stop(ExecutionContext& me) {
    charge(ticks());
    me.owner->load.count_switch();
  }
  // Finishes what the rank that was left could not do itself.
  void finish_switch() {
    if (departed_ != nullptr) [[unlikely]] {
      RankContext& rank = *std::exchange(departed_, nullptr);
      rank.left(hooks_.here(), rank);
    }
  }

  const WorkerId id_;
  const BoundHooks hooks_;
  WorkerMeter meter_;
  // One cache line: what every switch touches.
  alignas(64) RankContext* running_ = nullptr;
  ExecutionContext* context_ = nullptr;
  RankContext* departed_ = nullptr;  // just left for good or for another worker
  RunQueue run_queue_;
  std::atomic<WorkerLock*> lock_ = nullptr;
  SharedTicks segment_start_;
  SharedTicks preempted_at_;
};

}  // namespace sched
}  // namespace weft::runtime
