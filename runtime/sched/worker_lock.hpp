// The lock that threads take turns with at one worker, once its ranks' own threads may make calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/fiber/fiber.hpp"

namespace weft::runtime {
inline namespace sched {

class WorkerSleep;
class WorkerThreads;
struct ExecutionContext;

// Where one thread waits for its turn at a worker.
class LockWaiter {
 public:
  void wait();   // until it has been granted
  void grant();  // wakes it; once for each wait()
  // Pairs with the release in grant(): what the former holder did at the worker is visible.
  bool take_grant() { return granted_.exchange(0, std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> granted_ = 0;  // futex word
};

// A thread that runs the ranks' fibres of a worker: the worker's own, and further ones.
struct WorkerThread {
  Fiber home;  // the thread's own stack
  LockWaiter turn;
  WorkerThreads* owner = nullptr;
  ExecutionContext* context = nullptr;  // whose stack it stands on, or null at home; changes with the worker lock only
  std::uint64_t outside_mpi_since = 0;  // ticks, when its context last left a call
  std::thread thread;                   // of further ones
  int thread_id = 0;                    // as the system knows it
};

// Everything of a worker is touched by one thread at a time: the one that holds its lock. A thread that leaves a call,
// and goes on in the program, gives the lock up; whoever comes next waits for its turn, first come first served. While
// nobody holds it one thread of the worker rests: it wakes for what comes to the inbox. How is lock_protocol.hpp.
class WorkerLock {
 public:
  // The calling thread holds the lock. `start_thread` starts a further thread of the worker, whose turn it is at once;
  // called with the mutex held.
  WorkerLock(WorkerSleep& sleep, std::function<void()> start_thread);
  WorkerLock(const WorkerLock&) = delete;
  WorkerLock& operator=(const WorkerLock&) = delete;

  // Any thread: returns with the lock.
  void take(LockWaiter& turn);

  // The rest is for the holder. leave(): gives it up. `work`: there is something that only a thread of the worker can
  // do.
  void leave(bool work);
  // Gives it up to who waits, if anybody does, and comes back in its turn.
  void pass(LockWaiter& turn);
  // Gets the lock in its turn: its context can go on.
  void enqueue(LockWaiter& turn);
  // Somebody waits for the lock.
  bool contended() const { return waiting_.load(std::memory_order_relaxed) != 0; }
  // A thread of the worker with nothing to do: returns with the lock when there may be. `idle`: nobody else could find
  // something to do.
  void rest(WorkerThread& me, bool idle);
  // A thread of a rank has come for the first time: from now on one thread of the worker is always there.
  void expect_threads() { has_callers_ = true; }
  bool expects_threads() const { return has_callers_; }
  // The context that a thread of the worker runs and that any other could go on with. There is one at most, so that
  // ranks without threads share a core as ever; null: another one may be run.
  ExecutionContext* loose() const { return loose_; }
  void set_loose(ExecutionContext* context) { loose_ = context; }
  // The job ends: the calling thread comes no more. The next one that gets the lock will do the same.
  void retire();

 private:
  struct Operations;

  // With mutex_ held.
  void note_waiting();

  WorkerSleep& sleep_;
  const std::function<void()> start_thread_;
  // Of the holder.
  bool has_callers_ = false;
  ExecutionContext* loose_ = nullptr;

  std::atomic<std::uint32_t> waiting_ = 0;  // those in queue_
  std::mutex mutex_;                        // guards what follows
  bool taken_ = true;
  bool ending_ = false;
  bool counted_asleep_ = false;  // WorkerHooks::asleep() has been called
  std::deque<LockWaiter*> queue_;
  WorkerThread* resting_ = nullptr;   // set by the holder; cleared by itself or by who gives it the lock
  std::vector<WorkerThread*> spare_;  // with nothing to do beside the resting one
};

}  // namespace sched
}  // namespace weft::runtime
