// What a worker does with nothing ready: deferred work, spinning, sleeping. And the sleeps of its ranks.
#include <algorithm>
#include <utility>

#include "runtime/meter/ticks.hpp"
#include "runtime/net/bell.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {

void Worker::idle() {
  if (deferred_ != nullptr) {
    run_deferred();
    if (!run_queue_.empty()) {
      return;
    }
  }
  const std::uint64_t start = ticks();
  if (running_ != nullptr) {
    charge(start);
  }
  const bool slept = !spin_for_work() && !on_idle(true);
  if (slept) {
    sleep_for_work();
  }
  if (hooks_.idle_over != nullptr) {
    hooks_.idle_over(*this);
  }
  segment_start_ = meter_.begin_segment();
  if (slept && !sleepers_.any()) {  // else it may have slept so long as a rank had asked for
    slept_shortly_ = segment_start_ - start < config_.idle_spin_ticks;
  }
  meter_.idled(start, segment_start_, slept);
}

bool Worker::spin_for_work() {
  const std::uint64_t start = ticks();
  const bool goes_on = slept_shortly_ && meter_.undisturbed(start);
  const std::uint64_t end = start + (goes_on ? config_.idle_spin_ticks : config_.spin_ticks);
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (has_work()) {
        return true;
      }
      _mm_pause();
    }
    if (hooks_.help != nullptr && config_.spin_ticks != 0) {  // with a core of its own
      hooks_.help(*this);
    }
    if (on_idle(ticks() - start > config_.spin_ticks / 4)) {
      return true;
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
    const bool waits_for_others = !sleepers_.any();  // else it goes on by itself: this is no deadlock
    if (waits_for_others && hooks_.asleep != nullptr) {
      hooks_.asleep(*this);
    }
    meter_.sleeps(ticks());
    inbox_.sleep(sleepers_);
    meter_.wakes(ticks());
    if (waits_for_others && hooks_.awake != nullptr) {
      hooks_.awake(*this);
    }
  }
  if (bell != nullptr) {
    net::stay_awake(*bell);
  }
}

bool Worker::sleep_until(MonotonicTime until) {
  ExecutionContext& me = *context_;
  RankContext& rank = *me.owner;
  rank.interrupted.store(false, std::memory_order_relaxed);
  sleepers_.add(me, std::min(until, kNever - 1));
  if (own_lock() != nullptr) {
    inbox_.wake();  // the thread that rests, if any, learns until when
  }
  park(me);
  return !rank.interrupted.load(std::memory_order_relaxed);
}

void Worker::wake_due() {
  const MonotonicTime now = monotonic_now();
  while (ExecutionContext* const context = sleepers_.take_due(now)) {
    make_ready(*context);
  }
}

void Worker::interrupt_sleeps() {
  sleepers_.interrupt();
  inbox_.wake();
}

void Worker::end() {
  end_.deliver = [](Worker& worker, InboxItem&) { worker.stopping_ = true; };
  inbox_.push(end_);
}

bool Worker::may_sleep() const { return hooks_.may_sleep == nullptr || hooks_.may_sleep(*this); }

void Worker::defer(DeferredWork& work) {
  work.next = deferred_;
  deferred_ = &work;
}

void Worker::cancel(DeferredWork& work) {
  DeferredWork** link = &deferred_;
  while (*link != &work) {
    link = &(*link)->next;
  }
  *link = work.next;
}

void Worker::run_deferred() {
  while (DeferredWork* const work = deferred_) {
    deferred_ = work->next;
    work->run(*this, *work);
  }
}

}  // namespace weft::runtime
