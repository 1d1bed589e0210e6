// The threads that run the ranks of a worker: its own, and further ones that take turns with it once threads of its
// ranks may call.
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

// Before share() the worker's own thread is the only one, and has nothing to do with this but for first(). From then on
// whoever touches the worker holds its lock, and a rank that waits or yields does so by park() and yield() of this.
class WorkerThreads {
 public:
  // `stack_guard`: the stack protector's value in these threads; 0: the system's.
  WorkerThreads(Scheduler& scheduler, std::uint64_t stack_guard) : scheduler_(scheduler), stack_guard_(stack_guard) {}
  ~WorkerThreads() { join(); }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  // The calling one; null where that runs no ranks. Read anew after every suspension.
  static WorkerThread* current();
  // The calling thread is that of a process which fork() has just made: it runs no ranks there.
  static void forget_current();

  WorkerThread& first() { return first_; }
  // While it lives the calling thread is this one of theirs.
  class Presence {
   public:
    Presence(WorkerThreads& threads, WorkerThread& thread);
    ~Presence();
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

   private:
    std::optional<StackProtectorValue> guard_;
  };
  // The running rank, and those that come now, run on this thread. Pairs with running_thread().
  void note_running(const WorkerThread& thread) { running_thread_.store(thread.thread_id, std::memory_order_release); }
  // Any thread: that one, as the system knows it; 0: none yet. Pairs with note_running(): who signals the thread finds
  // it running.
  int running_thread() const { return running_thread_.load(std::memory_order_acquire); }

  // Any thread: how many there are, those that are about to begin included. Pairs with add_thread(): who has stopped so
  // many knows that none runs a rank.
  std::uint32_t count() const { return count_.load(std::memory_order_acquire); }

  // Threads of the worker's ranks may call from now on. On the worker's thread.
  void share();
  // The body of the worker's own thread from then on: returns when the worker ends and the other threads have.
  void take_turns();

  // Any thread: returns with the worker lock. REQUIRES: share() has been called.
  void take(LockWaiter& turn) { scheduler_.lock()->take(turn); }

  // With the worker lock, all that follows. The context goes on in a call that it begins or was suspended in; it leaves
  // the call for the program, and the lock with it.
  void enter_mpi(ExecutionContext& context);
  void leave_mpi();
  // A thread of this rank calls for the first time, or may do so any time.
  void admit(RankContext& rank);
  // The calling thread is about to run it: before every switch to a context.
  void bind(ExecutionContext& next);
  // As those of Worker.
  void park(ExecutionContext& me);
  bool yield(ExecutionContext& me);
  // The running context stops, and its thread goes on on its own stack. Nobody may stand on the stack of a suspended
  // fibre that any thread of the worker may go on with.
  void go_home(ExecutionContext& me, bool dying);

 private:
  WorkerLock& lock() { return *lock_; }
  WorkerThread* thread_of(const ExecutionContext& context);
  bool needs_a_thread() const;  // there is work that only a thread of the worker can do
  void add_thread();
  void run(WorkerThread& further);
  void take_turns(WorkerThread& thread);
  void rest(WorkerThread& thread);
  void give_lock();
  void join();  // waits until all but the first have ended

  Scheduler& scheduler_;
  const std::uint64_t stack_guard_;
  WorkerThread first_;
  std::atomic<int> running_thread_ = 0;
  std::atomic<std::uint32_t> count_ = 1;
  // Of who holds the lock.
  std::vector<std::unique_ptr<WorkerThread>> more_;
  std::unique_ptr<WorkerLock> lock_;
};

}  // namespace sched
}  // namespace weft::runtime
