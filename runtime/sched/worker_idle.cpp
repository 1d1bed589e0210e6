// What a worker does with nothing ready: deferred work, spinning, sleeping. And the sleeps of its ranks.
#include <algorithm>
#include <memory>
#include <utility>

#include "runtime/meter/ticks.hpp"
#include "runtime/sched/sleep_announcer.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {

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
  call(hooks_.idle_over);
  segment_start_ = meter_.begin_segment();
  if (slept && !sleepers_.any()) {  // else it may have slept so long as a rank had asked for
    idle_spin_.slept(segment_start_ - start);
  }
  meter_.idled(start, segment_start_, slept);
}

bool Worker::spin_for_work() {
  const std::uint64_t start = ticks();
  const std::uint64_t end = start + idle_spin_.limit(meter_.undisturbed(start));
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (has_work()) {
        return true;
      }
      _mm_pause();
    }
    if (hooks_.help != nullptr && idle_spin_.has_own_core()) {
      hooks_.help(*this);
    }
    if (on_idle(ticks() - start > idle_spin_.shortest() / 4)) {
      return true;
    }
  } while (ticks() < end);
  return !inbox_.empty();
}

void Worker::sleep_for_work() {
  const SleepAnnouncer announcer{*this};
  if (sleeping::announce_if_idle(announcer)) {
    const bool waits_for_others = !sleepers_.any();  // else it goes on by itself: this is no deadlock
    begin_sleep(waits_for_others);
    inbox_.sleep(sleepers_);
    end_sleep(waits_for_others);
    announcer.stay_awake();
  }
}

void Worker::begin_sleep(bool waits_for_others) {
  if (waits_for_others) {
    call(hooks_.asleep);
  }
  meter_.sleeps(ticks());
}

void Worker::end_sleep(bool waits_for_others) {
  meter_.wakes(ticks());
  if (waits_for_others) {
    call(hooks_.awake);
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
  auto item = std::make_unique<InboxItem>();
  item->deliver = [](Worker& worker, InboxItem& it) {
    const std::unique_ptr<InboxItem> ends(&it);
    worker.stopping_ = true;
  };
  inbox_.push(*item.release());
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

}  // namespace sched
}  // namespace weft::runtime
