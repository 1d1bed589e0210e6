// What a worker does with nothing ready: tells teams of arrivals, spins, sleeps. And ranks that sleep, or wait at a
// gate.
#include <algorithm>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/barrier_node.hpp"

namespace weft::runtime {

void Worker::idle() {
  if (unreported_ != nullptr) {
    report_arrivals();
    if (first_ready_ != nullptr) {
      return;
    }
  }
  const std::uint64_t start = ticks();
  if (running_ != nullptr) {
    charge(start);
  }
  const bool slept = !spin_for_work();
  if (slept) {
    mark_idle();
    sleep_for_work();
  }
  claim_idle();
  segment_start_ = meter_.begin_segment();
  if (slept && !has_sleepers_) {  // else it may have slept so long as a rank had asked for
    patient_ = segment_start_ - start < idle_spin_ticks_;
  }
  meter_.idled(start, segment_start_, slept);
}

bool Worker::spin_for_work() {
  const std::uint64_t start = ticks();
  const std::uint64_t end = start + (patient_ && meter_.undisturbed(start) ? idle_spin_ticks_ : spin_ticks_);
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (has_work()) {
        return true;
      }
      _mm_pause();
    }
    if (cluster_ != nullptr && spin_ticks_ != 0) {  // with a core of its own
      cluster_->transport().help();
    }
    if (shares_ && steal()) {
      return true;
    }
    if (ticks() - start > spin_ticks_ / 4) {
      mark_idle();
    }
  } while (ticks() < end);
  return !inbox_.empty();
}

void Worker::sleep_for_work() {
  net::Bell* const bell = inbox_.bell();
  if (bell != nullptr) {
    net::announce_sleep(*bell);
  }
  if (may_sleep()) {
    const bool waits_for_others = !has_sleepers_;  // else it goes on by itself: this is no deadlock
    if (waits_for_others) {
      job_.state_->worker_sleeps(job_);
    }
    meter_.sleeps(ticks());
    inbox_.sleep(sleepers_);
    meter_.wakes(ticks());
    if (waits_for_others) {
      job_.state_->worker_wakes();
    }
  }
  if (bell != nullptr) {
    net::stay_awake(*bell);
  }
}

void Worker::poll() {
  if (cluster_ != nullptr) {
    polls_ = true;
    cluster_->poll();
    polls_ = false;
  }
}

bool Worker::sleep_until(MonotonicTime until) {
  ExecutionContext& me = *strand_;
  Rank& rank = *me.owner;
  rank.interrupted.store(false, std::memory_order_relaxed);
  sleepers_.add(me, std::min(until, kNever - 1));
  has_sleepers_ = true;
  if (own_lock_ != nullptr) {
    inbox_.wake();  // the hand that rests, if any, learns until when
  }
  park(me);
  return !rank.interrupted.load(std::memory_order_relaxed);
}

void Worker::wake_due() {
  const MonotonicTime now = monotonic_now();
  while (ExecutionContext* const strand = sleepers_.take_due(now)) {
    make_ready(*strand);
  }
  has_sleepers_ = !sleepers_.empty();
}

void Worker::interrupt_sleeps() {
  sleepers_.interrupt();
  inbox_.wake();
}

void Worker::wait_at_gate(Rank& me, const std::atomic<std::uint64_t>& opened, std::uint64_t gate) {
  while (opened.load(std::memory_order_acquire) < gate) {
    me.next = first_at_gate_;
    first_at_gate_ = &me;
    park(me);
  }
}

void Worker::open_gate() {
  for (ExecutionContext* strand = std::exchange(first_at_gate_, nullptr); strand != nullptr;) {
    ExecutionContext* const after = strand->next;
    make_ready(*strand);
    strand = after;
  }
}

void Worker::end() {
  end_.deliver = [](Worker& worker, InboxItem&) { worker.stopping_ = true; };
  inbox_.push(end_);
}

bool Worker::may_sleep() const { return cluster_ == nullptr || cluster_->transport().idle(); }

void Worker::remember(Team::BarrierNode& station) {
  station.next_unreported = unreported_;
  unreported_ = &station;
}

void Worker::forget(Team::BarrierNode& station) {
  Team::BarrierNode** link = &unreported_;
  while (*link != &station) {
    link = &(*link)->next_unreported;
  }
  *link = station.next_unreported;
}

void Worker::report_arrivals() {
  while (Team::BarrierNode* const station = unreported_) {
    unreported_ = station->next_unreported;
    station->listed = false;
    station->team->report(*this, *station);
  }
}

}  // namespace weft::runtime
