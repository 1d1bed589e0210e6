#include "runtime/sched/worker_lock.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/futex.hpp"
#include "base/thread_start.hpp"
#include "runtime/sched/lock_protocol.hpp"
#include "runtime/sched/sleep_announcer.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {

void LockWaiter::wait() {
  while (!take_grant()) {
    base::futex_wait(granted_, 0, base::FutexScope::kProcess);
  }
}

void LockWaiter::grant() {
  // Pairs with the acquire in take_grant(): the next holder sees what this one did at the worker.
  granted_.store(1, std::memory_order_release);
  // Who waited may be gone by now, and its LockWaiter with it: then this wakes nobody, or somebody who looks once more.
  base::futex_wake_one(granted_, base::FutexScope::kProcess);
}

// The `Operations` of lock_protocol.hpp, for whichever thread calls.
struct WorkerLock::Operations : SleepAnnouncer {
  explicit Operations(WorkerLock& its) : SleepAnnouncer{its.worker_}, lock(its) {}

  template <typename Act>
  auto guarded(Act&& act) const {
    const std::lock_guard guard(lock.mutex_);
    return act();
  }
  bool is_taken() const { return lock.taken_; }
  void set_taken(bool taken) const { lock.taken_ = taken; }
  bool is_ending() const { return lock.ending_; }
  void set_ending() const { lock.ending_ = true; }

  bool has_waiting() const { return !lock.queue_.empty(); }
  void enqueue(LockWaiter& turn) const {
    lock.queue_.push_back(&turn);
    lock.note_waiting();
  }
  void grant_next() const {
    LockWaiter* const next = lock.queue_.front();
    lock.queue_.pop_front();
    lock.note_waiting();
    next->grant();
  }
  bool has_resting() const { return lock.resting_ != nullptr; }
  bool is_resting(const WorkerThread& me) const { return lock.resting_ == &me; }
  void set_resting(WorkerThread& me) const { lock.resting_ = &me; }
  void clear_resting() const { lock.resting_ = nullptr; }
  void grant_resting() const { std::exchange(lock.resting_, nullptr)->turn.grant(); }
  void add_spare(WorkerThread& me) const { lock.spare_.push_back(&me); }
  bool grant_spare() const {
    if (lock.spare_.empty()) {
      return false;
    }
    WorkerThread* const next = lock.spare_.back();
    lock.spare_.pop_back();
    next->turn.grant();
    return true;
  }
  bool start_thread() const {
    const bool is_needed = lock.has_callers_ && !lock.ending_;
    if (is_needed) {
      lock.add_thread();
    }
    return is_needed;
  }
  void count_asleep() const {
    lock.counted_asleep_ = true;
    worker.begin_sleep(true);
  }
  void count_awake() const {
    if (std::exchange(lock.counted_asleep_, false)) {
      worker.end_sleep(true);
    }
  }

  bool arm() const { return worker.inbox().arm(); }
  void disarm() const { worker.inbox().disarm(); }
  bool is_armed() const { return worker.inbox().consumer_asleep(); }
  bool was_rung() const { return worker.inbox().was_rung(); }
  bool is_due() const { return worker.sleepers().is_due(); }
  std::uint32_t wakeups() const { return worker.inbox().wakeups(); }
  void wait(std::uint32_t seen) const { worker.inbox().sleep_since(seen, worker.sleepers().next()); }
  void count_wakeup() const { worker.inbox().count_wakeup(); }
  void wake_sleeper() const { worker.inbox().wake_sleeper(); }

  void wait_for_turn(LockWaiter& turn) const { turn.wait(); }
  bool take_grant(LockWaiter& turn) const { return turn.take_grant(); }

  WorkerLock& lock;
};

WorkerLock::WorkerLock(Worker& worker, WorkerThread& first) : worker_(worker), first_(first) {}

WorkerLock::~WorkerLock() { join(); }

void WorkerLock::join() {
  for (const auto& thread : more_) {
    if (thread->thread.joinable()) {
      thread->thread.join();
    }
  }
}

void WorkerLock::take(LockWaiter& turn) { turns::take(Operations(*this), turn); }
void WorkerLock::enqueue(LockWaiter& turn) { turns::enqueue(Operations(*this), turn); }
void WorkerLock::leave(bool work) { turns::leave(Operations(*this), work); }
void WorkerLock::pass(LockWaiter& turn) { turns::pass(Operations(*this), turn); }
void WorkerLock::rest(WorkerThread& me, bool idle) { turns::rest(Operations(*this), me, idle); }
void WorkerLock::retire() { turns::retire(Operations(*this)); }

void WorkerLock::note_waiting() {
  waiting_.store(static_cast<std::uint32_t>(queue_.size()), std::memory_order_relaxed);
}

void WorkerLock::add_thread() {
  WorkerThread& thread = *more_.emplace_back(std::make_unique<WorkerThread>());
  thread.worker = &worker_;
  thread.turn.grant();  // before it asks
  try {
    thread.thread = base::start_thread("another thread of a worker", [this, &thread] { worker_.run_thread(thread); });
  } catch (const std::runtime_error& error) {
    worker_.hooks().threads.fail(worker_, fmt::format("weft: {}", error.what()));
  }
}

WorkerThread* WorkerLock::thread_of(const ExecutionContext& context) const {
  if (first_.context == &context) {
    return &first_;
  }
  for (const auto& thread : more_) {
    if (thread->context == &context) {
      return thread.get();
    }
  }
  return nullptr;
}

}  // namespace sched
}  // namespace weft::runtime
