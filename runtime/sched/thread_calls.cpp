#include "runtime/sched/thread_calls.hpp"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "base/check.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// What is kept of a thread that a rank has started, for its calls.
struct Caller {
  ExecutionContext context;
  LockWaiter turn;
  RankContext* owner = nullptr;
};

// Made at a thread's first call. Unlike a fibre, a caller is never switched to another thread within a call.
Caller& this_caller() {
  static thread_local Caller caller;
  return caller;
}

constexpr unsigned kRetryPause = 200;  // microseconds

// Takes the lock of the rank's worker. Before the first call of any of its threads the rank may be on its way between
// two workers, or in a balancing step.
Worker& lock_worker_of(RankContext& rank, LockWaiter& turn) {
  for (bool requested = false;;) {
    // Pairs with arrive_at_worker(), as does the second load below.
    Worker* const home = rank.worker.load(std::memory_order_acquire);
    WorkerLock* const lock = home == nullptr ? nullptr : home->lock();
    if (lock == nullptr) {
      ::usleep(kRetryPause);
      continue;
    }
    lock->acquire(turn);
    // Pairs with arrive_at_worker().
    const bool here =
        rank.worker.load(std::memory_order_acquire) == home && rank.state != ExecutionContext::State::moving;
    if (here && (rank.threads_have_called || !rank.in_step)) {
      return *home;
    }
    lock->release(true);
    if (here && !std::exchange(requested, true)) {
      home->hooks().threads.request_disable(rank);  // the step may wait for ranks that come to it only after this call
    }
    ::usleep(kRetryPause);
  }
}

// True in a process that fork() has made.
bool is_child = false;
RankContext* parent = nullptr;

void become_child() {
  if (!is_child) {
    RankContext* const rank = current_context();
    parent = rank == nullptr ? this_caller().owner : rank;
    is_child = true;
  }
  WorkerThreads::forget_current();
}

}  // namespace

void watch_forks() {
  static const int result = ::pthread_atfork(nullptr, nullptr, &become_child);
  base::check(result == 0, "pthread_atfork() succeeds");
}
bool is_forked_child() { return is_child; }
RankContext* forked_by() { return parent; }

void allow_threads(RankContext& me) {
  me.threads_allowed = true;
  Worker::current()->threads().ensure_lock();
}

bool keep_thread_where(int (*regions)(), Worker& here) {
  if (here.running()->threads_have_called || regions() == 0) {
    return false;
  }
  here.threads().ensure_lock();
  here.threads().begin_thread_calls(*here.running());
  return true;
}

void set_thread_owner(RankContext& rank) { this_caller().owner = &rank; }
RankContext* thread_owner() { return this_caller().owner; }

bool resume_call() {
  WorkerThread* const thread = WorkerThreads::current();
  if (Worker::current() != nullptr || thread == nullptr || thread->context == nullptr) {
    return false;
  }
  thread->owner->acquire(thread->turn);
  ExecutionContext& context = *thread->context;
  context.calls = 0;
  context.calls_are_counted = true;
  thread->owner->enter_mpi(context);
  return true;
}

void begin_call(RankContext& rank) {
  Caller& caller = this_caller();
  Worker& home = lock_worker_of(rank, caller.turn);
  caller.context.owner = &rank;
  caller.context.lock_waiter = &caller.turn;
  caller.context.call = rank.call;  // kept for the rank's own context while this one runs
  caller.context.calls = 0;
  caller.context.calls_are_counted = true;
  ++rank.thread_calls_under_way;
  home.threads().enter_mpi(caller.context);
  if (!rank.threads_have_called) {
    home.threads().begin_thread_calls(rank);
  }
}

void leave_call() {
  Worker& here = *Worker::current();
  ExecutionContext& context = *here.context();
  if (&context != context.owner) {
    context.owner->call = context.call;
    --context.owner->thread_calls_under_way;
  }
  here.threads().leave_mpi();
}

bool is_thread_call() {
  const ExecutionContext* const context = Worker::current()->context();
  return context != context->owner;
}

}  // namespace sched
}  // namespace weft::runtime
