#include "runtime/sched/worker.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "base/check.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/thread_calls.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// A counter may fail on this thread although it worked on the first one, for instance since descriptors have run out.
// If the user has not asked for counters the worker then does without.
void begin(WorkerMeter& meter, std::optional<std::uint32_t> core, const ClockChoice& choice) {
  if (choice.clock == nullptr) {
    meter.begin(core);
    return;
  }
  try {
    meter.begin(core, *choice.clock);
  } catch (const std::runtime_error&) {
    if (choice.is_needed) {
      throw;
    }
    meter.begin(core);
  }
}

}  // namespace

Worker::Worker(WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config)
    : Scheduler(worker, *this, worker_hooks, config), recorder_(config.recorder), threads_(*this, config.stack_guard) {}

void Worker::run(std::span<RankContext* const> ranks, std::optional<std::uint32_t> core, const ClockChoice& clock) {
  set_current(this);
  const WorkerThreads::ThreadRegistration registration(threads_, threads_.first());
  threads_.note_running(threads_.first());
  for (RankContext* rank : ranks) {
    set_stack(*rank, hooks().stack_for(*rank));
    rank->worker_number = number(id());
    make_ready(*rank);
  }
  begin(Dispatcher::meter(), core, clock);
  begin_segment();
  run_alone();
  if (own_lock() != nullptr) {
    threads_.take_turns();
  }
  Dispatcher::meter().stop_counting();
}

void Worker::run_alone() {
  while (own_lock() == nullptr) {
    ExecutionContext* const next = next_ready();
    if (next == nullptr) {
      return;
    }
    begin_segment();
    bind_if_shared(*next);
    switch_from_home(threads_.first().home, *next);
  }
}

void Worker::end() {
  auto item = std::make_unique<InboxItem>();
  item->deliver = [](Worker& worker, InboxItem& it) {
    const std::unique_ptr<InboxItem> owned(&it);
    worker.stop();
  };
  inbox().push(*item.release());
}

void Worker::park(ExecutionContext& me) {
  keep_thread_in_region(*this);
  me.state = ExecutionContext::State::parked;
  if (own_lock() != nullptr) [[unlikely]] {
    threads_.park(me);
    return;
  }
  ExecutionContext* const next = next_ready();
  base::check(next != nullptr, "the job ended under a parked rank");
  if (next == &me) {
    me.state = ExecutionContext::State::running;
    return;
  }
  bind_if_shared(*next);
  switch_from(me, *next);
}

bool Worker::yield() {
  keep_thread_in_region(*this);
  ExecutionContext& me = *context();
  if (own_lock() != nullptr) [[unlikely]] {
    return threads_.yield(me);
  }
  between_ranks(true);
  if (run_queue().empty()) {
    if (!has_own_core()) {
      sched_yield();
    }
    return false;
  }
  make_ready(me);
  ExecutionContext& next = *run_queue().pop();
  bind_if_shared(next);
  switch_from(me, next);
  return true;
}

bool Worker::sleep_until(MonotonicTime until) {
  ExecutionContext& me = *context();
  RankContext& rank = *me.owner;
  rank.interrupted.store(false, std::memory_order_relaxed);
  // kNever itself would say that no rank sleeps.
  sleep().ranks().add(me, std::min(until, kNever - 1));
  if (own_lock() != nullptr) {
    inbox().wake();  // the thread that stands by, if any, must sleep no longer than until then
  }
  park(me);
  return !rank.interrupted.load(std::memory_order_relaxed);
}

void Worker::leave(RankContext& me, void (*on_left)(Worker& here, RankContext& rank)) {
  deliver_inbox();
  me.state = ExecutionContext::State::moving;
  me.on_left = on_left;
  depart(me, false);
}

void Worker::leave_for_good(RankContext& me, void (*on_left)(Worker& here, RankContext& rank)) {
  me.on_left = on_left;
  depart(me, true);
  base::fail("an ended rank ran again");
}

// Unlike a parked rank, one that leaves cannot wait on its own stack for the next ready one.
void Worker::depart(RankContext& me, bool dying) {
  if (exposes()) {
    deliver_inbox();  // which puts the exposed ranks back into the ready queue
  }
  set_departed(me);
  if (own_lock() != nullptr) [[unlikely]] {
    threads_.go_home(me, dying);
    return;
  }
  switch_away(me, run_queue().pop(), threads_.first().home, dying);
}

}  // namespace sched
}  // namespace weft::runtime
