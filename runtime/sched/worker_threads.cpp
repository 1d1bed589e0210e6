// A worker that several threads take turns at: its own, further ones like it, and those that ranks have started.
#include <sched.h>

#include <utility>

#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// A rank has one name of a call for reports: that of its own context, but while one of its threads holds the lock.
void swap_call(ExecutionContext& context) {
  if (&context != context.owner) {
    std::swap(context.call, context.owner->call);
  }
}

}  // namespace

void Worker::share_with_threads() {
  if (own_lock() != nullptr) {
    return;
  }
  if (exposes_) {
    deliver_inbox();
  }
  meter_.stop_counting();  // a counter is one thread's
  first_.context = context_;
  auto* const lock = new WorkerLock(*this, first_);
  lock->set_loose(context_);
  // Pairs with lock(): threads of ranks that find it find it whole.
  lock_.store(lock, std::memory_order_release);
}

void Worker::enter_mpi(ExecutionContext& context) {
  set_current(this);
  context_ = &context;
  running_ = context.owner;
  context.state = ExecutionContext::State::running;
  segment_start_ = ticks();
  if (WorkerThread* const thread = this_thread();
      thread != nullptr && thread->outside_mpi_since != 0) {  // it has computed meanwhile
    std::atomic<std::uint64_t>& cycles = running_->load.cycles;
    cycles.store(cycles.load(std::memory_order_relaxed) + segment_start_ - std::exchange(thread->outside_mpi_since, 0U),
                 std::memory_order_relaxed);
  }
}

void Worker::leave_mpi() {
  charge(ticks());
  if (WorkerThread* const thread = this_thread(); thread != nullptr) {
    thread->outside_mpi_since = segment_start_;
  }
  context_ = nullptr;
  running_ = nullptr;
  set_current(nullptr);
  own_lock()->leave(needs_a_thread());
}

// Where the rank's own fibre is at the moment, there it stays: what the program has with that thread (a team of
// OpenMP's, a lock that knows its owner) goes on. A suspended one stays with the thread that runs it next.
void Worker::admit_threads(RankContext& rank) {
  rank.threads_call = true;
  own_lock()->expect_threads();
  if (WorkerThread* const thread = own_lock()->thread_of(rank); thread != nullptr) {
    rank.lock_waiter = &thread->turn;
    if (own_lock()->loose() == &rank) {
      own_lock()->set_loose(nullptr);
    }
  }
  if (hooks_.threads.first_call != nullptr) {
    hooks_.threads.first_call(rank);
  }
}

void Worker::bind(ExecutionContext& next) {
  WorkerThread& thread = *this_thread();
  thread.context = &next;
  // Pairs with thread(): who signals the thread finds it running.
  thread_.store(thread.thread_id, std::memory_order_release);
  next.lock_waiter = next.owner->threads_call ? &thread.turn : nullptr;
  own_lock()->set_loose(next.lock_waiter == nullptr ? &next : nullptr);
}

bool Worker::needs_a_thread() const {
  return (!run_queue_.empty() && own_lock()->loose() == nullptr) || deferred_ != nullptr || stopping_ ||
         sleepers_.is_due();
}

void Worker::park_in_turn(ExecutionContext& me) {
  if (me.lock_waiter != nullptr) {
    poll();
    deliver_inbox();
    if (deferred_ != nullptr) {
      run_deferred();
    }
    charge(ticks());
    swap_call(me);
    own_lock()->leave(needs_a_thread());
    me.lock_waiter->wait();
    enter_mpi(me);
    swap_call(me);
    return;
  }
  between_ranks(false);
  if (!own_lock()->contended()) {
    if (ExecutionContext* const next = run_queue_.pop(); next == &me) {
      me.state = ExecutionContext::State::running;
      return;
    } else if (next != nullptr) {
      switch_from(me, *next);
      return;
    }
  }
  go_home(me, false);
}

bool Worker::yield_in_turn(ExecutionContext& me) {
  between_ranks(true);
  charge(ticks());
  if (me.lock_waiter != nullptr) {
    LockWaiter& turn = *me.lock_waiter;
    swap_call(me);
    own_lock()->leave(needs_a_thread());
    sched_yield();
    own_lock()->take(turn);
    enter_mpi(me);
    swap_call(me);
    return true;
  }
  if (own_lock()->contended()) {
    own_lock()->pass(this_thread()->turn);
    enter_mpi(me);
  }
  if (!run_queue_.empty() && me.lock_waiter == nullptr) {
    make_ready(me);
    switch_from(me, *run_queue_.pop());
    return true;
  }
  if (!idle_spin_.has_own_core()) {
    sched_yield();
  }
  return false;
}

// Nobody may stand on the stack of a suspended fibre that any thread of the worker may go on with.
void Worker::go_home(ExecutionContext& me, bool dying) {
  charge(ticks());
  me.owner->load.count_switch();
  WorkerThread& thread = *this_thread();
  thread.context = nullptr;
  me.lock_waiter = nullptr;
  if (own_lock()->loose() == &me) {
    own_lock()->set_loose(nullptr);
  }
  context_ = nullptr;
  running_ = nullptr;
  me.fiber.switch_to(thread.home, dying);
  current()->finish_switch();
}

void Worker::work_in_turns(WorkerThread& thread) {
  set_current(this);
  for (;;) {
    own_lock()->pass(thread.turn);
    between_ranks(false);
    if (!run_queue_.empty() && own_lock()->loose() == nullptr) {
      segment_start_ = ticks();
      ExecutionContext& next = *run_queue_.pop();
      runs(next);
      thread.home.switch_to(next.fiber);
      finish_switch();
    } else if (deferred_ != nullptr) {
      run_deferred();
    } else if (stopping_) {
      own_lock()->retire();
      return;
    } else {
      rest_in_turn(thread);
    }
  }
}

void Worker::rest_in_turn(WorkerThread& thread) {
  const std::uint64_t start = ticks();
  const bool alone = !own_lock()->expects_threads();
  const bool slept = !alone || !spin_for_work();
  if (slept) {
    on_idle(true);
    const bool nothing_runs = alone && own_lock()->loose() == nullptr && !sleepers_.any();
    own_lock()->rest(thread, nothing_runs && (hooks_.threads.may_come == nullptr || !hooks_.threads.may_come(*this)));
  }
  call(hooks_.idle_over);
  segment_start_ = ticks();
  if (alone) {
    meter_.idled(start, segment_start_, slept);
  }
}

}  // namespace sched
}  // namespace weft::runtime
