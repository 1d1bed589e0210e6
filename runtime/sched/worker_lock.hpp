// The lock of a worker, by which threads take turns there once its ranks' own threads may make calls.
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
  void wait();   // until the lock has been granted
  void grant();  // ends a wait(); to be called once for each
  // Whether the lock has been granted: true once for each grant(). Pairs with the release in grant(): what the former
  // holder did at the worker is visible.
  bool take_grant() { return granted_.exchange(0, std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> granted_ = 0;  // futex word
};

// A thread that runs the fibres of a worker's ranks: the worker's own thread, or an additional one.
struct WorkerThread {
  Fiber home;  // the thread's own stack
  LockWaiter turn;
  WorkerThreads* owner = nullptr;
  ExecutionContext* context = nullptr;  // on whose stack it runs; null: on its own. Changes under the worker lock only
  std::uint64_t outside_mpi_since = 0;  // ticks, when its context last left a call; 0: it is in one
  std::thread thread;                   // of an additional one
  int thread_id = 0;                    // the system's
};

// Everything of a worker is touched by one thread at a time, the one that holds its lock. A thread that leaves a call
// and goes on in the program releases the lock. Threads get it first come first served. While none holds it one thread
// of the worker stands by: it wakes for what comes to the inbox. The protocol is in lock_protocol.hpp.
class WorkerLock {
 public:
  // The calling thread holds the lock. `start_thread` starts another thread of the worker, which has the lock at once;
  // it is called with the mutex held.
  WorkerLock(WorkerSleep& sleep, std::function<void()> start_thread);
  WorkerLock(const WorkerLock&) = delete;
  WorkerLock& operator=(const WorkerLock&) = delete;

  // Any thread: returns with the lock.
  void acquire(LockWaiter& turn);

  // The rest is for the holder. `work`: there is something that only a thread of the worker can do.
  void release(bool work);
  // If a thread waits, passes the lock to it and returns with the lock in its turn.
  void yield(LockWaiter& turn);
  // Has this waiter get the lock in its turn, since its context can go on.
  void enqueue(LockWaiter& turn);
  // Whether a thread waits for the lock.
  bool contended() const { return waiting_.load(std::memory_order_relaxed) != 0; }
  // For a thread of the worker with nothing to do: returns with the lock when there may be something. `idle`: no other
  // thread could find something to do.
  void stand_by(WorkerThread& me, bool idle);
  // Threads of ranks make calls: from now on one thread of the worker is always available for other ranks.
  void expect_threads() { has_callers_ = true; }
  bool expects_threads() const { return has_callers_; }
  // The running context that is bound to no thread: any thread of the worker could go on with it. There is one at most,
  // so that ranks without threads share a core as before; null: a thread may run one.
  ExecutionContext* unbound_context() const { return unbound_context_; }
  void set_unbound_context(ExecutionContext* context) { unbound_context_ = context; }
  // The job ends, and the calling thread does not want the lock again. The next one that gets it does the same.
  void retire();

 private:
  struct Operations;

  // With mutex_ held.
  void update_waiting();

  WorkerSleep& sleep_;
  const std::function<void()> start_thread_;
  // Touched by the holder only.
  bool has_callers_ = false;
  ExecutionContext* unbound_context_ = nullptr;

  std::atomic<std::uint32_t> waiting_ = 0;  // size of queue_
  std::mutex mutex_;                        // guards what follows
  bool taken_ = true;
  bool ending_ = false;
  bool counted_asleep_ = false;  // WorkerHooks::asleep() has been called
  std::deque<LockWaiter*> queue_;
  WorkerThread* standby_ = nullptr;   // set by the holder; cleared by that thread or by the one that grants it the lock
  std::vector<WorkerThread*> spare_;  // with nothing to do, besides standby_
};

}  // namespace sched
}  // namespace weft::runtime
