// A worker that several threads take turns at.
#include <sched.h>

#include <utility>

#include "runtime/cluster/cluster.hpp"
#include "runtime/cluster/step.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

// A rank has one name of a call for reports: that of its own strand, but while one of its threads has the helm.
void swap_call(Strand& strand) {
  if (&strand != strand.owner) {
    std::swap(strand.call, strand.owner->call);
  }
}

}  // namespace

void Worker::form_crew() {
  if (own_crew_ != nullptr) {
    return;
  }
  if (laid_out_) {
    deliver_inbox();
  }
  meter_.stop_counting();  // a counter is one thread's
  first_.strand = strand_;
  loose_ = strand_;
  own_crew_ = std::make_unique<Crew>(*this, first_);
  crew_.store(own_crew_.get(), std::memory_order_release);
}

void Worker::embark(Strand& strand) {
  set_current(this);
  strand_ = &strand;
  running_ = strand.owner;
  strand.state = Strand::State::running;
  segment_start_ = ticks();
  if (Hand* const hand = this_hand(); hand != nullptr && hand->ashore != 0) {  // it has computed meanwhile
    std::atomic<std::uint64_t>& cycles = running_->load.cycles;
    cycles.store(cycles.load(std::memory_order_relaxed) + segment_start_ - std::exchange(hand->ashore, 0U),
                 std::memory_order_relaxed);
  }
}

void Worker::disembark() {
  charge(ticks());
  if (Hand* const hand = this_hand(); hand != nullptr) {
    hand->ashore = segment_start_;
  }
  strand_ = nullptr;
  running_ = nullptr;
  set_current(nullptr);
  own_crew_->leave(needs_a_hand());
}

// Where the rank's own fibre is at the moment, there it stays: what the program has with that thread (a team of
// OpenMP's, a lock that knows its owner) goes on. A suspended one stays with the thread that runs it next.
void Worker::welcome(Rank& rank) {
  rank.threads_call = true;
  own_crew_->expect_threads();
  if (Hand* const hand = own_crew_->hand_of(rank); hand != nullptr) {
    rank.seat = &hand->seat;
    if (loose_ == &rank) {
      loose_ = nullptr;
    }
  }
  job_.cluster().step().hold_for_threads();
}

void Worker::bind(Strand& next) {
  Hand& hand = *this_hand();
  hand.strand = &next;
  thread_.store(hand.thread_id, std::memory_order_release);
  next.seat = next.owner->threads_call ? &hand.seat : nullptr;
  loose_ = next.seat == nullptr ? &next : nullptr;
}

bool Worker::needs_a_hand() const {
  return (first_ready_ != nullptr && loose_ == nullptr) || unreported_ != nullptr || stopping_ ||
         (has_sleepers_ && sleepers_.is_due());
}

void Worker::park_in_turn(Strand& me) {
  poll();
  deliver_inbox();
  if (me.seat != nullptr) {
    if (unreported_ != nullptr) {
      report_arrivals();
    }
    charge(ticks());
    swap_call(me);
    own_crew_->leave(needs_a_hand());
    me.seat->wait();
    embark(me);
    swap_call(me);
    return;
  }
  share();
  wake_sleepers();
  if (!own_crew_->contended()) {
    if (Strand* const next = pop_ready(); next == &me) {
      me.state = Strand::State::running;
      return;
    } else if (next != nullptr) {
      switch_from(me, *next);
      return;
    }
  }
  go_home(me, false);
}

bool Worker::yield_in_turn(Strand& me) {
  poll();
  deliver_inbox();
  if (unreported_ != nullptr) {
    report_arrivals();
  }
  share();
  wake_sleepers();
  charge(ticks());
  if (me.seat != nullptr) {
    Seat& seat = *me.seat;
    swap_call(me);
    own_crew_->leave(needs_a_hand());
    sched_yield();
    own_crew_->take(seat);
    embark(me);
    swap_call(me);
    return true;
  }
  if (own_crew_->contended()) {
    own_crew_->pass(this_hand()->seat);
    embark(me);
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
void Worker::go_home(Strand& me, bool dying) {
  charge(ticks());
  me.owner->load.count_switch();
  Hand& hand = *this_hand();
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

void Worker::work_in_turns(Hand& hand) {
  set_current(this);
  for (;;) {
    own_crew_->pass(hand.seat);
    poll();
    deliver_inbox();
    share();
    wake_sleepers();
    if (first_ready_ != nullptr && loose_ == nullptr) {
      segment_start_ = ticks();
      Strand& next = *pop_ready();
      runs(next);
      hand.home.switch_to(next.fiber);
      landed();
    } else if (unreported_ != nullptr) {
      report_arrivals();
    } else if (stopping_) {
      own_crew_->retire();
      return;
    } else {
      rest_in_turn(hand);
    }
  }
}

void Worker::rest_in_turn(Hand& hand) {
  const std::uint64_t start = ticks();
  const bool alone = !own_crew_->expects_threads();
  const bool slept = !alone || !spin_for_work();
  if (slept) {
    be_hungry();
    own_crew_->rest(hand, alone && loose_ == nullptr && !has_sleepers_ && !threads_may_come());
  }
  claim_hunger();
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
