#include "runtime/sched/worker_lock.hpp"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/futex.hpp"
#include "base/thread_start.hpp"
#include "runtime/job/job.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {

void LockWaiter::wait() {
  while (!take_grant()) {
    base::futex_wait(granted_, 0, base::FutexScope::kProcess);
  }
}

void LockWaiter::grant() {
  granted_.store(1, std::memory_order_release);
  // Who waited may be gone by now, and its seat with it: then this wakes nobody, or somebody who looks once more.
  base::futex_wake_one(granted_, base::FutexScope::kProcess);
}

WorkerLock::WorkerLock(Worker& worker, WorkerThread& first) : worker_(worker), first_(first) {}

WorkerLock::~WorkerLock() { join(); }

void WorkerLock::join() {
  for (const auto& hand : more_) {
    if (hand->thread.joinable()) {
      hand->thread.join();
    }
  }
}

void WorkerLock::take(LockWaiter& seat) {
  {
    const std::lock_guard lock(mutex_);
    if (!taken_) {
      seize();
      return;
    }
    stand_in_line(seat);
  }
  seat.wait();
}

void WorkerLock::enqueue(LockWaiter& seat) {
  const std::lock_guard lock(mutex_);
  stand_in_line(seat);
}

void WorkerLock::leave(bool work) {
  const std::lock_guard lock(mutex_);
  give_helm_away(work);
}

void WorkerLock::pass(LockWaiter& seat) {
  {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      return;
    }
    stand_in_line(seat);
    give_helm_away(false);
  }
  seat.wait();
}

void WorkerLock::stand_in_line(LockWaiter& seat) {
  queue_.push_back(&seat);
  waiting_.store(static_cast<std::uint32_t>(queue_.size()), std::memory_order_relaxed);
}

// To the next in the queue; else to a hand if there is something to do or if none rests; else nobody has it.
void WorkerLock::give_helm_away(bool work) {
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
    rouse().seat.grant();
    worker_.inbox().wake();
  } else if (!spare_.empty()) {
    WorkerThread* const next = spare_.back();
    spare_.pop_back();
    next->seat.grant();
  } else {
    taken_ = false;
    if (has_callers_ && !ending_) {
      add_hand();
    }
  }
}

void WorkerLock::add_hand() {
  WorkerThread& hand = *more_.emplace_back(std::make_unique<WorkerThread>());
  hand.worker = &worker_;
  taken_ = true;  // granted before it asks
  hand.seat.grant();
  try {
    hand.thread = base::start_thread("another thread of a worker", [this, &hand] { worker_.lend(hand); });
  } catch (const std::runtime_error& error) {
    worker_.job().abort(1, fmt::format("weft: {}", error.what()));
  }
}

// Nobody was at the helm.
void WorkerLock::seize() {
  taken_ = true;
  worker_.inbox().disarm();
  if (std::exchange(counted_asleep_, false)) {
    worker_.wakes();
  }
}

void WorkerLock::rest(WorkerThread& me, bool idle) {
  if (stand_by(me)) {
    me.seat.wait();
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

// The bell is the worker's: it sleeps as long as a hand rests, whichever.
WorkerThread& WorkerLock::rouse() {
  if (net::Bell* const bell = worker_.inbox().bell(); bell != nullptr) {
    net::stay_awake(*bell);
  }
  return *std::exchange(resting_, nullptr);
}

// Where another hand rests already.
bool WorkerLock::stand_by(WorkerThread& me) {
  const std::lock_guard lock(mutex_);
  if (resting_ == nullptr) {
    return false;
  }
  spare_.push_back(&me);
  give_helm_away(false);
  return true;
}

// False when something has come: the helm is still this hand's.
bool WorkerLock::lie_down(WorkerThread& me, bool idle) {
  const std::lock_guard lock(mutex_);
  if (!queue_.empty()) {
    resting_ = &me;
    give_helm_away(false);
    return true;
  }
  if (!worker_.inbox().arm()) {
    return false;
  }
  resting_ = &me;
  taken_ = false;
  if (idle) {
    counted_asleep_ = true;
    worker_.sleeps();
  }
  return true;
}

void WorkerLock::sleep(WorkerThread& me) {
  Inbox& inbox = worker_.inbox();
  for (;;) {
    const std::uint32_t seen = inbox.wakeups();
    if (me.seat.take_grant() || got_up(me)) {
      return;
    }
    inbox.sleep_since(seen, worker_.sleepers().next());
  }
}

// The hand that rests looks whether it was woken; true once it is at the helm.
bool WorkerLock::got_up(WorkerThread& me) {
  {
    const std::lock_guard lock(mutex_);
    if (resting_ != &me) {
      return false;  // it has been granted the helm
    }
    const net::Bell* const bell = worker_.inbox().bell();
    const bool rung = bell != nullptr && bell->asleep.load(std::memory_order_acquire) == 0;
    const bool due = worker_.sleepers().is_due();
    if (!rung && !due && (taken_ || worker_.inbox().consumer_asleep())) {
      return false;
    }
    rouse();
    if (!taken_) {
      seize();
      return true;
    }
    stand_in_line(me.seat);
  }
  me.seat.wait();
  return true;
}

void WorkerLock::retire() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  give_helm_away(true);
}

WorkerThread* WorkerLock::hand_of(const ExecutionContext& strand) const {
  if (first_.strand == &strand) {
    return &first_;
  }
  for (const auto& hand : more_) {
    if (hand->strand == &strand) {
      return hand.get();
    }
  }
  return nullptr;
}

}  // namespace weft::runtime
