// Switches a worker from one context to the next, and charges each rank for the time for which it ran.
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

// Has the ready contexts, but does not look for more: Scheduler does. Touched by the worker's thread only; once threads
// of its ranks may make calls, by the thread that holds the worker lock.
class Dispatcher {
 public:
  Dispatcher(WorkerId id, Worker& here, const WorkerHooks& hooks) : id_(id), hooks_(here, hooks) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // The dispatcher of the worker that the calling thread runs, or whose lock it holds; null elsewhere. To be read anew
  // after every suspension: a fibre may wake on another thread.
  static Dispatcher* current();
  static void set_current(Dispatcher* dispatcher);

  WorkerId id() const { return id_; }
  const BoundHooks& bound_hooks() const { return hooks_; }
  RankContext* running() const { return running_; }
  ExecutionContext* context() const { return context_; }  // the running one, which belongs to running()
  RunQueue& run_queue() { return run_queue_; }
  const RunQueue& run_queue() const { return run_queue_; }
  WorkerMeter& meter() { return meter_; }
  const WorkerMeter& meter() const { return meter_; }

  // Prepares the fibre of a rank that is to start, on this stack.
  static void set_stack(RankContext& rank, std::span<std::byte> stack);
  // Appends a context of a rank of this worker to the ready queue; or, where only one thread can go on with it, has
  // that thread wait for the worker lock.
  void make_ready(ExecutionContext& context);

  // set_running(): notes which context is about to run. clear_running(): notes that none is.
  void set_running(ExecutionContext& next) {
    context_ = &next;
    running_ = next.owner;
    next.state = ExecutionContext::State::running;
  }
  void clear_running() {
    context_ = nullptr;
    running_ = nullptr;
  }
  // Switches from the running context to a ready one. Returns when the first is switched to again.
  void switch_from(ExecutionContext& me, ExecutionContext& next) {
    stop(me);
    if (!run_queue_.empty()) {
      hooks_.before_switch(next, me);
    }
    set_running(next);
    me.fiber.switch_to(next.fiber);
    current()->finish_switch();
  }
  // Switches from the running context to a ready one or, where that is null, to a thread's own stack. `dying`: the
  // running one will not be resumed.
  void switch_away(ExecutionContext& me, ExecutionContext* next, Fiber& home, bool dying);
  // Switches from a thread's own stack. Returns when some context has switched back to it.
  void switch_from_home(Fiber& home, ExecutionContext& next) {
    set_running(next);
    home.switch_to(next.fiber);
    finish_switch();
  }
  // Has RankContext::on_left of this rank called after the next switch, which leaves the rank.
  void set_departed(RankContext& me) { departed_ = &me; }

  // The time from now on is charged to the running rank, or to the one that runs next.
  void begin_segment() { segment_start_ = meter_.begin_segment(); }
  // Charges the running rank for the time until `now`.
  void charge(std::uint64_t now) {
    const std::uint64_t spent = meter_.cost(segment_start_, now);
    std::atomic<std::uint64_t>& cycles = running_->load.cycles;
    cycles.store(cycles.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
    hooks_.charged(*running_, segment_start_, now);
    segment_start_ = now;
  }
  void update_load() { charge(ticks()); }

  // Threads take turns at the worker from now on, by this lock. On the worker's thread. Pairs with lock().
  void publish_lock(WorkerLock& lock) { lock_.store(&lock, std::memory_order_release); }
  // Null before that. Any thread. Pairs with publish_lock(): the reader sees a complete lock.
  WorkerLock* lock() const { return lock_.load(std::memory_order_acquire); }
  // The same for the worker's own threads, one of which has made the lock.
  WorkerLock* own_lock() const { return lock_.load(std::memory_order_relaxed); }

  // Any thread, to decide whether to preempt the running rank. Ticks: when its current segment began, and when a rank
  // of this worker was last preempted.
  std::uint64_t running_since() const { return segment_start_; }
  std::uint64_t preempted_at() const { return preempted_at_; }
  // On the worker's thread: the running rank is about to be preempted.
  void note_preemption() { preempted_at_ = ticks(); }

 private:
  static void enter(Fiber& self, Fiber& from);
  // Charges the running context, which is about to be left, and counts the switch.
  void stop(ExecutionContext& me) {
    charge(ticks());
    me.owner->load.count_switch();
  }
  // Does what the rank that was left could not do on its own stack.
  void finish_switch() {
    if (departed_ != nullptr) [[unlikely]] {
      RankContext& rank = *std::exchange(departed_, nullptr);
      rank.on_left(hooks_.here(), rank);
    }
  }

  const WorkerId id_;
  const BoundHooks hooks_;
  WorkerMeter meter_;
  // One cache line, which every switch touches.
  alignas(64) RankContext* running_ = nullptr;
  ExecutionContext* context_ = nullptr;
  RankContext* departed_ = nullptr;  // ends or moves: its on_left is still to be called
  RunQueue run_queue_;
  std::atomic<WorkerLock*> lock_ = nullptr;
  SharedTicks segment_start_;
  SharedTicks preempted_at_;
};

}  // namespace sched
}  // namespace weft::runtime
