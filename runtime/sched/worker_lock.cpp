#include "runtime/sched/worker_lock.hpp"

#include <utility>

#include "base/futex.hpp"
#include "runtime/sched/lock_protocol.hpp"
#include "runtime/sched/worker_sleep.hpp"

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
  // The waiting thread may have ended by now, and its LockWaiter with it: then this wakes nobody, or a thread that
  // checks its own condition once more.
  base::futex_wake_one(granted_, base::FutexScope::kProcess);
}

// The `Operations` of lock_protocol.hpp, for whichever thread calls.
struct WorkerLock::Operations {
  explicit Operations(WorkerLock& its) : lock(its), sleep(its.sleep_) {}

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
    lock.update_waiting();
  }
  void grant_next() const {
    LockWaiter* const next = lock.queue_.front();
    lock.queue_.pop_front();
    lock.update_waiting();
    next->grant();
  }
  bool has_standby() const { return lock.standby_ != nullptr; }
  bool is_standby(const WorkerThread& me) const { return lock.standby_ == &me; }
  void set_standby(WorkerThread& me) const { lock.standby_ = &me; }
  void clear_standby() const { lock.standby_ = nullptr; }
  void grant_standby() const { std::exchange(lock.standby_, nullptr)->turn.grant(); }
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
      lock.start_thread_();
    }
    return is_needed;
  }
  void count_asleep() const {
    lock.counted_asleep_ = true;
    sleep.begin(true);
  }
  void count_awake() const {
    if (std::exchange(lock.counted_asleep_, false)) {
      sleep.end(true);
    }
  }

  void announce_sleep() const { sleep.announce_sleep(); }
  bool nothing_to_poll() const { return sleep.nothing_to_poll(); }
  void stay_awake() const { sleep.stay_awake(); }
  bool arm() const { return sleep.inbox().arm(); }
  void disarm() const { sleep.inbox().disarm(); }
  bool is_armed() const { return sleep.inbox().consumer_asleep(); }
  bool was_rung() const { return sleep.inbox().was_rung(); }
  bool is_due() const { return sleep.ranks().is_due(); }
  std::uint32_t wakeups() const { return sleep.inbox().wakeups(); }
  void wait(std::uint32_t seen) const { sleep.inbox().sleep_since(seen, sleep.ranks().next()); }
  void count_wakeup() const { sleep.inbox().count_wakeup(); }
  void wake_sleeper() const { sleep.inbox().wake_sleeper(); }

  void wait_for_turn(LockWaiter& turn) const { turn.wait(); }
  bool take_grant(LockWaiter& turn) const { return turn.take_grant(); }

  WorkerLock& lock;
  WorkerSleep& sleep;
};

WorkerLock::WorkerLock(WorkerSleep& sleep, std::function<void()> start_thread)
    : sleep_(sleep), start_thread_(std::move(start_thread)) {}

void WorkerLock::acquire(LockWaiter& turn) { locking::acquire(Operations(*this), turn); }
void WorkerLock::enqueue(LockWaiter& turn) { locking::enqueue(Operations(*this), turn); }
void WorkerLock::release(bool work) { locking::release(Operations(*this), work); }
void WorkerLock::yield(LockWaiter& turn) { locking::yield(Operations(*this), turn); }
void WorkerLock::stand_by(WorkerThread& me, bool idle) { locking::stand_by(Operations(*this), me, idle); }
void WorkerLock::retire() { locking::retire(Operations(*this)); }

void WorkerLock::update_waiting() {
  waiting_.store(static_cast<std::uint32_t>(queue_.size()), std::memory_order_relaxed);
}

}  // namespace sched
}  // namespace weft::runtime
