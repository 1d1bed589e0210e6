#include "runtime/sched/thread_calls.hpp"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "base/check.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
namespace {

// A thread that a rank has started, in its calls.
struct Caller {
  ExecutionContext strand;
  LockWaiter seat;
  Rank* adopter = nullptr;
};

// Made at a thread's first call. Never in use across a switch: a caller's calls stay on its thread.
Caller& this_caller() {
  static thread_local Caller caller;
  return caller;
}

constexpr unsigned kStepPause = 200;  // microseconds

// At the helm of the rank's worker. Before the rank's first such call it may be on its way between two, or in a step.
Worker& take_helm(const Rank& rank, LockWaiter& seat) {
  for (bool wished = false;;) {
    Worker* const home = rank.worker.load(std::memory_order_acquire);
    WorkerLock* const crew = home == nullptr ? nullptr : home->crew();
    if (crew == nullptr) {
      ::usleep(kStepPause);
      continue;
    }
    crew->take(seat);
    const bool here =
        rank.worker.load(std::memory_order_acquire) == home && rank.state != ExecutionContext::State::moving;
    if (here && (rank.threads_call || !rank.in_step)) {
      return *home;
    }
    crew->leave(true);
    if (here && !std::exchange(wished, true)) {
      rank.job.step().wish_to_hold();  // other ranks may come to the step only after this call
    }
    ::usleep(kStepPause);
  }
}

// Of a process that fork() has made.
bool is_child = false;
Rank* parent = nullptr;

void become_child() {
  if (!is_child) {
    Rank* const rank = current_rank();
    parent = rank == nullptr ? this_caller().adopter : rank;
    is_child = true;
  }
  Worker::forget_this_thread();
}

}  // namespace

void watch_forks() {
  static const int result = ::pthread_atfork(nullptr, nullptr, &become_child);
  base::check(result == 0, "the system lets us hear of forks");
}
bool is_forked_child() { return is_child; }
Rank* forked_by() { return parent; }

void allow_threads(Rank& me) {
  me.threads_allowed = true;
  Worker& here = *Worker::current();
  here.share_with_threads();
  // It may be inside of an OpenMP region when it next waits, which another rank on its thread would break.
  if (me.job.program().has_threads(me.id) && !me.threads_call) {
    here.welcome(me);
  }
}

void adopt_thread(Rank& rank) { this_caller().adopter = &rank; }
Rank* adopter() { return this_caller().adopter; }

bool resume_call() {
  WorkerThread* const hand = Worker::this_hand();
  if (Worker::current() != nullptr || hand == nullptr || hand->strand == nullptr) {
    return false;
  }
  hand->worker->crew()->take(hand->seat);
  ExecutionContext& strand = *hand->strand;
  strand.calls = 0;
  strand.calls_are_counted = true;
  hand->worker->enter_mpi(strand);
  return true;
}

void begin_call(Rank& rank) {
  Caller& caller = this_caller();
  Worker& home = take_helm(rank, caller.seat);
  caller.strand.owner = &rank;
  caller.strand.seat = &caller.seat;
  caller.strand.call = rank.call;  // kept for the rank's own strand while this one runs
  caller.strand.calls = 0;
  caller.strand.calls_are_counted = true;
  ++rank.threads_in;
  home.enter_mpi(caller.strand);
  if (!rank.threads_call) {
    home.welcome(rank);
  }
}

void leave_call() {
  Worker& here = *Worker::current();
  ExecutionContext& strand = *here.strand();
  if (&strand != strand.owner) {
    strand.owner->call = strand.call;
    --strand.owner->threads_in;
  }
  here.leave_mpi();
}

bool is_thread_call() {
  const ExecutionContext* const strand = Worker::current()->strand();
  return strand != strand->owner;
}

}  // namespace weft::runtime
