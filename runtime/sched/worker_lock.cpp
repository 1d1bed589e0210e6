#include "runtime/sched/worker_lock.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/futex.hpp"
#include "base/thread_start.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {

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

WorkerLock::WorkerLock(Worker& worker, WorkerThread& first) : worker_(worker), first_(first) {}

WorkerLock::~WorkerLock() { join(); }

void WorkerLock::join() {
  for (const auto& thread : more_) {
    if (thread->thread.joinable()) {
      thread->thread.join();
    }
  }
}

void WorkerLock::take(LockWaiter& turn) {
  {
    const std::lock_guard lock(mutex_);
    if (!taken_) {
      seize();
      return;
    }
    stand_in_line(turn);
  }
  turn.wait();
}

void WorkerLock::enqueue(LockWaiter& turn) {
  const std::lock_guard lock(mutex_);
  stand_in_line(turn);
}

void WorkerLock::leave(bool work) {
  const std::lock_guard lock(mutex_);
  hand_on(work);
}

void WorkerLock::pass(LockWaiter& turn) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      return;
    }
    stand_in_line(turn);
    hand_on(false);
  }
  turn.wait();
}

void WorkerLock::stand_in_line(LockWaiter& turn) {
  queue_.push_back(&turn);
  waiting_.store(static_cast<std::uint32_t>(queue_.size()), std::memory_order_relaxed);
}

// To the next in the queue; else to a thread if there is something to do or if none rests; else nobody has it.
void WorkerLock::hand_on(bool work) {
  if (!queue_.empty()) {
    LockWaiter* const next = queue_.front();
    queue_.pop_front();
    waiting_.store(static_cast<std::uint32_t>(queue_.size()), std::memory_order_relaxed);
    next->grant();
    return;
  }
  const bool waits = resting_ != nullptr;
  if (waits && !work && !ending_ && worker_.inbox().arm()) {
    taken_ = false;
    return;
  }
  if (waits) {
    wake_resting().turn.grant();
    worker_.inbox().wake();
  } else if (!spare_.empty()) {
    WorkerThread* const next = spare_.back();
    spare_.pop_back();
    next->turn.grant();
  } else {
    taken_ = false;
    if (has_callers_ && !ending_) {
      add_thread();
    }
  }
}

void WorkerLock::add_thread() {
  WorkerThread& thread = *more_.emplace_back(std::make_unique<WorkerThread>());
  thread.worker = &worker_;
  taken_ = true;  // granted before it asks
  thread.turn.grant();
  try {
    thread.thread = base::start_thread("another thread of a worker", [this, &thread] { worker_.run_thread(thread); });
  } catch (const std::runtime_error& error) {
    worker_.hooks().threads.fail(worker_, fmt::format("weft: {}", error.what()));
  }
}

// Nobody held the lock.
void WorkerLock::seize() {
  taken_ = true;
  worker_.inbox().disarm();
  if (std::exchange(counted_asleep_, false)) {
    worker_.end_sleep(true);
  }
}

void WorkerLock::rest(WorkerThread& me, bool idle) {
  if (stand_by(me)) {
    me.turn.wait();
    return;
  }
  net::Bell* const bell = worker_.inbox().bell();
  if (bell != nullptr) {
    net::announce_sleep(*bell);
  }
  if (worker_.may_sleep() && lie_down(me, idle)) {
    sleep(me);
  } else if (bell != nullptr) {
    net::stay_awake(*bell);
  }
}

// The bell is the worker's: it sleeps as long as a thread rests, whichever.
WorkerThread& WorkerLock::wake_resting() {
  if (net::Bell* const bell = worker_.inbox().bell(); bell != nullptr) {
    net::stay_awake(*bell);
  }
  return *std::exchange(resting_, nullptr);
}

// Where another thread rests already.
bool WorkerLock::stand_by(WorkerThread& me) {
  const std::lock_guard lock(mutex_);
  if (resting_ == nullptr) {
    return false;
  }
  spare_.push_back(&me);
  hand_on(false);
  return true;
}

// False when something has come: the lock is still this thread's.
bool WorkerLock::lie_down(WorkerThread& me, bool idle) {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) {
    resting_ = &me;
    hand_on(false);
    return true;
  }
  if (!worker_.inbox().arm()) {
    return false;
  }
  resting_ = &me;
  taken_ = false;
  if (idle) {
    counted_asleep_ = true;
    worker_.begin_sleep(true);
  }
  return true;
}

void WorkerLock::sleep(WorkerThread& me) {
  Inbox& inbox = worker_.inbox();
  for (;;) {
    const std::uint32_t seen = inbox.wakeups();
    if (me.turn.take_grant() || got_up(me)) {
      return;
    }
    inbox.sleep_since(seen, worker_.sleepers().next());
  }
}

// The thread that rests looks whether it was woken; true once it holds the lock.
bool WorkerLock::got_up(WorkerThread& me) {
  {
    const std::lock_guard lock(mutex_);
    if (resting_ != &me) {
      return false;  // it has been granted the lock
    }
    const net::Bell* const bell = worker_.inbox().bell();
    // Pairs with net::ring().
    const bool rung = bell != nullptr && bell->asleep.load(std::memory_order_acquire) == 0;
    const bool due = worker_.sleepers().is_due();
    if (!rung && !due && (taken_ || worker_.inbox().consumer_asleep())) {
      return false;
    }
    wake_resting();
    if (!taken_) {
      seize();
      return true;
    }
    stand_in_line(me.turn);
  }
  me.turn.wait();
  return true;
}

void WorkerLock::retire() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  hand_on(true);
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

}  // namespace weft::runtime
