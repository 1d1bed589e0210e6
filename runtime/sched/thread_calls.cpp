#include "runtime/sched/thread_calls.hpp"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "base/check.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// A thread that a rank has started, in its calls.
struct Caller {
  ExecutionContext context;
  LockWaiter turn;
  RankContext* adopter = nullptr;
};

// Made at a thread's first call. Never in use across a switch: a caller's calls stay on its thread.
Caller& this_caller() {
  static thread_local Caller caller;
  return caller;
}

constexpr unsigned kStepPause = 200;  // microseconds

// With the lock of the rank's worker. Before the rank's first such call it may be on its way between two, or in a step.
Worker& lock_worker_of(RankContext& rank, LockWaiter& turn) {
  for (bool wished = false;;) {
    // Pairs with arrive_at_worker(), as the second look below.
    Worker* const home = rank.worker.load(std::memory_order_acquire);
    WorkerLock* const lock = home == nullptr ? nullptr : home->lock();
    if (lock == nullptr) {
      ::usleep(kStepPause);
      continue;
    }
    lock->take(turn);
    // Pairs with arrive_at_worker().
    const bool here =
        rank.worker.load(std::memory_order_acquire) == home && rank.state != ExecutionContext::State::moving;
    if (here && (rank.threads_call || !rank.in_step)) {
      return *home;
    }
    lock->leave(true);
    if (here && !std::exchange(wished, true)) {
      home->hooks().threads.request_disable(rank);  // other ranks may come to the step only after this call
    }
    ::usleep(kStepPause);
  }
}

// Of a process that fork() has made.
bool is_child = false;
RankContext* parent = nullptr;

void become_child() {
  if (!is_child) {
    RankContext* const rank = current_context();
    parent = rank == nullptr ? this_caller().adopter : rank;
    is_child = true;
  }
  WorkerThreads::forget_current();
}

}  // namespace

void watch_forks() {
  static const int result = ::pthread_atfork(nullptr, nullptr, &become_child);
  base::check(result == 0, "the system lets us hear of forks");
}
bool is_forked_child() { return is_child; }
RankContext* forked_by() { return parent; }

void allow_threads(RankContext& me) {
  me.threads_allowed = true;
  Worker::current()->threads().share();
}

bool keep_thread_where(int (*regions)(), Worker& here) {
  if (here.running()->threads_call || regions() == 0) {
    return false;
  }
  here.threads().share();
  here.threads().admit(*here.running());
  return true;
}

void adopt_thread(RankContext& rank) { this_caller().adopter = &rank; }
RankContext* adopter() { return this_caller().adopter; }

bool resume_call() {
  WorkerThread* const thread = WorkerThreads::current();
  if (Worker::current() != nullptr || thread == nullptr || thread->context == nullptr) {
    return false;
  }
  thread->owner->take(thread->turn);
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
  ++rank.threads_in;
  home.threads().enter_mpi(caller.context);
  if (!rank.threads_call) {
    home.threads().admit(rank);
  }
}

void leave_call() {
  Worker& here = *Worker::current();
  ExecutionContext& context = *here.context();
  if (&context != context.owner) {
    context.owner->call = context.call;
    --context.owner->threads_in;
  }
  here.threads().leave_mpi();
}

bool is_thread_call() {
  const ExecutionContext* const context = Worker::current()->context();
  return context != context->owner;
}

}  // namespace sched
}  // namespace weft::runtime
