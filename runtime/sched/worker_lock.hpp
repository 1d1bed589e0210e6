// Threads that take turns at one worker, once its ranks' own threads may make calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/fiber/fiber.hpp"

namespace weft::runtime {

class Rank;
class Worker;
struct ExecutionContext;

// Where one thread waits for its turn.
class LockWaiter {
 public:
  void wait();   // until it has been granted
  void grant();  // wakes it; once for each wait()
  bool take_grant() { return granted_.exchange(0, std::memory_order_acquire) != 0; }

 private:
  std::atomic<std::uint32_t> granted_ = 0;  // futex word
};

// A thread that runs the ranks' fibres of a worker: the worker's own, and further ones.
struct WorkerThread {
  Fiber home;  // the thread's own stack
  LockWaiter seat;
  Worker* worker = nullptr;
  ExecutionContext* strand = nullptr;   // whose stack it stands on, or null at home; changes at the helm only
  std::uint64_t outside_mpi_since = 0;  // ticks, when its strand last left a call
  std::thread thread;                   // of further ones
  int thread_id = 0;                    // as the system knows it
};

// Everything of a worker is touched by one thread at a time: the one at the helm. A thread that leaves a call, and goes
// on in the program, leaves the helm; whoever comes next waits for its turn, first come first served. While nobody is
// at the helm one hand rests: it wakes for what comes to the inbox.
class WorkerLock {
 public:
  // The calling thread is `first`, and at the helm.
  WorkerLock(Worker& worker, WorkerThread& first);
  ~WorkerLock();
  WorkerLock(const WorkerLock&) = delete;
  WorkerLock& operator=(const WorkerLock&) = delete;

  // Any thread: returns at the helm.
  void take(LockWaiter& seat);

  // The rest is for who is at the helm. leave(): gives it up. `work`: there is something that only a hand can do.
  void leave(bool work);
  // Gives it up to who waits, if anybody does, and comes back in its turn.
  void pass(LockWaiter& seat);
  // Gets the helm in its turn: its strand can go on.
  void enqueue(LockWaiter& seat);
  // Somebody waits for the helm.
  bool contended() const { return waiting_.load(std::memory_order_relaxed) != 0; }
  // A hand with nothing to do: returns at the helm when there may be. `idle`: nobody else could find something to do.
  void rest(WorkerThread& me, bool idle);
  // A thread of a rank has come for the first time: from now on one hand is always there.
  void expect_threads() { has_callers_ = true; }
  bool expects_threads() const { return has_callers_; }
  // The job ends: `me` comes no more. The next one at the helm will do the same.
  void retire();
  void join();  // waits until all but the first have
  // The hand that stands on the strand's stack, or null.
  WorkerThread* hand_of(const ExecutionContext& strand) const;

 private:
  // With the lock held.
  void stand_in_line(LockWaiter& seat);
  WorkerThread& rouse();  // the one that rests
  void give_helm_away(bool work);
  void add_hand();
  void seize();
  bool stand_by(WorkerThread& me);
  bool lie_down(WorkerThread& me, bool idle);
  void sleep(WorkerThread& me);
  bool got_up(WorkerThread& me);

  Worker& worker_;
  // Of who is at the helm.
  bool has_callers_ = false;
  std::vector<std::unique_ptr<WorkerThread>> more_;
  WorkerThread& first_;

  std::atomic<std::uint32_t> waiting_ = 0;  // those in queue_
  std::mutex mutex_;                        // guards what follows
  bool taken_ = true;
  bool ending_ = false;
  bool counted_asleep_ = false;  // the job counts the worker among those that sleep
  std::deque<LockWaiter*> queue_;
  WorkerThread* resting_ = nullptr;   // set at the helm; cleared by itself or by who gives it the helm
  std::vector<WorkerThread*> spare_;  // with nothing to do beside the resting one
};

}  // namespace weft::runtime
