// The threads that run the ranks of a worker: its own thread, and others that take turns with it once threads of ranks
// may make calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/sched/scheduler.hpp"
#include "runtime/sched/stack_protector.hpp"
#include "runtime/sched/worker_lock.hpp"

namespace weft::runtime {
inline namespace sched {

// Before ensure_lock() the worker's own thread is the only one, and uses only first() of this class. From then on a
// thread that touches the worker holds its lock, and ranks wait and yield by park() and yield() of this class.
class WorkerThreads {
 public:
  // `stack_guard`: the stack protector's value in these threads; 0: the system's.
  WorkerThreads(Scheduler& scheduler, std::uint64_t stack_guard) : scheduler_(scheduler), stack_guard_(stack_guard) {}
  ~WorkerThreads() { join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // The calling thread, if it runs ranks; else null. To be read anew after every suspension.
  static WorkerThread* current();
  // In a process that fork() has just made: the calling thread runs no ranks there.
  static void forget_current();

  WorkerThread& first() { return first_; }
  // While one exists the calling thread is `thread` of `threads`: current() returns it.
  class ThreadRegistration {
   public:
    ThreadRegistration(WorkerThreads& threads, WorkerThread& thread);
    ~ThreadRegistration();
    ThreadRegistration(const ThreadRegistration&) = delete;
    ThreadRegistration& operator=(const ThreadRegistration&) = delete;

   private:
    std::optional<StackProtectorValue> guard_;
  };
  // Notes that the running rank, and the next ones, run on this thread. Pairs with running_thread().
  void note_running(const WorkerThread& thread) { running_thread_.store(thread.thread_id, std::memory_order_release); }
  // Any thread: the system's number of that thread; 0: none yet. Pairs with note_running(): a thread that signals it
  // finds it running.
  int running_thread() const { return running_thread_.load(std::memory_order_acquire); }

  // Any thread: how many there are, with those that are about to begin. Pairs with add_thread(): once so many are
  // stopped none runs a rank.
  std::uint32_t count() const { return count_.load(std::memory_order_acquire); }

  // On the worker's thread: makes the worker lock, if there is none yet. Threads of ranks may make calls from now on.
  void ensure_lock();
  // The body of the worker's own thread from then on: returns once the worker and the other threads have ended.
  void take_turns();

  // Any thread: returns with the worker lock. REQUIRES: ensure_lock() has been called.
  void acquire(LockWaiter& turn) { scheduler_.lock()->acquire(turn); }

  // All that follow need the worker lock. enter_mpi(): the context begins a call, or goes on in one in which it was
  // suspended. leave_mpi(): it goes back to the program, and the lock is released.
  void enter_mpi(ExecutionContext& context);
  void leave_mpi();
  // Threads of this rank make calls from now on: it stays with the thread that runs it.
  void begin_thread_calls(RankContext& rank);
  // Before every switch to a context: notes that the calling thread runs it.
  void bind(ExecutionContext& next);
  // As those of Worker.
  void park(ExecutionContext& me);
  bool yield(ExecutionContext& me);
  // Stops the running context; its thread goes on on its own stack. No thread may use the stack of a suspended fibre
  // that another thread of the worker may go on with.
  void go_home(ExecutionContext& me, bool dying);

 private:
  WorkerLock& lock() { return *lock_; }
  WorkerThread* thread_of(const ExecutionContext& context);
  bool needs_worker_thread() const;  // there is work that only a thread of the worker can do
  void add_thread();
  void run(WorkerThread& added);
  void take_turns(WorkerThread& thread);
  void stand_by(WorkerThread& thread);
  void release_lock();
  void join();  // waits until all but the first have ended

  Scheduler& scheduler_;
  const std::uint64_t stack_guard_;
  WorkerThread first_;
  std::atomic<int> running_thread_ = 0;
  std::atomic<std::uint32_t> count_ = 1;
  // Touched by the thread that holds the lock.
  std::vector<std::unique_ptr<WorkerThread>> added_threads_;
  std::unique_ptr<WorkerLock> lock_;
};

}  // namespace sched
}  // namespace weft::runtime
