// A worker that several threads take turns at.
#include <sched.h>

#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
namespace {

// A rank has one name of a call for reports: that of its own strand, but while one of its threads has the helm.
void swap_call(ExecutionContext& strand) {
  if (&strand != strand.owner) {
    std::swap(strand.call, strand.owner->call);
  }
}

}  // namespace

void Worker::share_with_threads() {
  if (own_lock_ != nullptr) {
    return;
  }
  if (exposed_) {
    deliver_inbox();
  }
  meter_.stop_counting();  // a counter is one thread's
  first_.strand = strand_;
  loose_ = strand_;
  own_lock_ = std::make_unique<WorkerLock>(*this, first_);
  lock_.store(own_lock_.get(), std::memory_order_release);
}

void Worker::enter_mpi(ExecutionContext& strand) {
  set_current(this);
  strand_ = &strand;
  running_ = strand.owner;
  strand.state = ExecutionContext::State::running;
  segment_start_ = ticks();
  if (WorkerThread* const hand = this_hand();
      hand != nullptr && hand->outside_mpi_since != 0) {  // it has computed meanwhile
    std::atomic<std::uint64_t>& cycles = running_->load.cycles;
    cycles.store(cycles.load(std::memory_order_relaxed) + segment_start_ - std::exchange(hand->outside_mpi_since, 0U),
                 std::memory_order_relaxed);
  }
}

void Worker::leave_mpi() {
  charge(ticks());
  if (WorkerThread* const hand = this_hand(); hand != nullptr) {
    hand->outside_mpi_since = segment_start_;
  }
  strand_ = nullptr;
  running_ = nullptr;
  set_current(nullptr);
  own_lock_->leave(needs_a_hand());
}

// Where the rank's own fibre is at the moment, there it stays: what the program has with that thread (a team of
// OpenMP's, a lock that knows its owner) goes on. A suspended one stays with the thread that runs it next.
void Worker::welcome(Rank& rank) {
  rank.threads_call = true;
  own_lock_->expect_threads();
  if (WorkerThread* const hand = own_lock_->hand_of(rank); hand != nullptr) {
    rank.seat = &hand->seat;
    if (loose_ == &rank) {
      loose_ = nullptr;
    }
  }
  job_.step().hold_for_threads();
}

void Worker::bind(ExecutionContext& next) {
  WorkerThread& hand = *this_hand();
  hand.strand = &next;
  thread_.store(hand.thread_id, std::memory_order_release);
  next.seat = next.owner->threads_call ? &hand.seat : nullptr;
  loose_ = next.seat == nullptr ? &next : nullptr;
}

bool Worker::needs_a_hand() const {
  return (first_ready_ != nullptr && loose_ == nullptr) || unreported_ != nullptr || stopping_ ||
         (has_sleepers_ && sleepers_.is_due());
}

void Worker::park_in_turn(ExecutionContext& me) {
  poll();
  deliver_inbox();
  if (me.seat != nullptr) {
    if (unreported_ != nullptr) {
      report_arrivals();
    }
    charge(ticks());
    swap_call(me);
    own_lock_->leave(needs_a_hand());
    me.seat->wait();
    enter_mpi(me);
    swap_call(me);
    return;
  }
  share();
  wake_sleepers();
  if (!own_lock_->contended()) {
    if (ExecutionContext* const next = pop_ready(); next == &me) {
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
  poll();
  deliver_inbox();
  if (unreported_ != nullptr) {
    report_arrivals();
  }
  share();
  wake_sleepers();
  charge(ticks());
  if (me.seat != nullptr) {
    LockWaiter& seat = *me.seat;
    swap_call(me);
    own_lock_->leave(needs_a_hand());
    sched_yield();
    own_lock_->take(seat);
    enter_mpi(me);
    swap_call(me);
    return true;
  }
  if (own_lock_->contended()) {
    own_lock_->pass(this_hand()->seat);
    enter_mpi(me);
  }
  if (first_ready_ != nullptr && me.seat == nullptr) {
    make_ready(me);
    switch_from(me, *pop_ready());
    return true;
  }
  if (spin_ticks_ == 0) {
    sched_yield();
  }
  return false;
}

// Nobody may stand on the stack of a suspended fibre that any hand may go on with.
void Worker::go_home(ExecutionContext& me, bool dying) {
  charge(ticks());
  me.owner->load.count_switch();
  WorkerThread& hand = *this_hand();
  hand.strand = nullptr;
  me.seat = nullptr;
  if (loose_ == &me) {
    loose_ = nullptr;
  }
  strand_ = nullptr;
  running_ = nullptr;
  me.fiber.switch_to(hand.home, dying);
  current()->landed();
}

void Worker::work_in_turns(WorkerThread& hand) {
  set_current(this);
  for (;;) {
    own_lock_->pass(hand.seat);
    poll();
    deliver_inbox();
    share();
    wake_sleepers();
    if (first_ready_ != nullptr && loose_ == nullptr) {
      segment_start_ = ticks();
      ExecutionContext& next = *pop_ready();
      runs(next);
      hand.home.switch_to(next.fiber);
      landed();
    } else if (unreported_ != nullptr) {
      report_arrivals();
    } else if (stopping_) {
      own_lock_->retire();
      return;
    } else {
      rest_in_turn(hand);
    }
  }
}

void Worker::rest_in_turn(WorkerThread& hand) {
  const std::uint64_t start = ticks();
  const bool alone = !own_lock_->expects_threads();
  const bool slept = !alone || !spin_for_work();
  if (slept) {
    mark_idle();
    own_lock_->rest(hand, alone && loose_ == nullptr && !has_sleepers_ && !threads_may_come());
  }
  claim_idle();
  segment_start_ = ticks();
  if (alone) {
    meter_.idled(start, segment_start_, slept);
  }
}

// Then nobody can tell whether something will happen yet.
bool Worker::threads_may_come() const {
  for (std::uint32_t r = 0; r < job_.universe(); ++r) {
    const Rank& rank = job_.rank(r);
    if (rank.threads_allowed && rank.worker.load(std::memory_order_relaxed) == this &&
        !rank.ended.load(std::memory_order_relaxed) &&
        (rank.has_threads.load(std::memory_order_acquire) || job_.program().has_threads(rank.id))) {
      return true;
    }
  }
  return false;
}

void Worker::sleeps() {
  job_.state_->worker_sleeps(job_);
  meter_.sleeps(ticks());
}

void Worker::wakes() {
  meter_.wakes(ticks());
  job_.state_->worker_wakes();
}

}  // namespace weft::runtime
