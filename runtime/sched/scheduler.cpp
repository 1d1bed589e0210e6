#include "runtime/sched/scheduler.hpp"

namespace weft::runtime {
inline namespace sched {

Scheduler::Scheduler(WorkerId id, Worker& here, const WorkerHooks& hooks, const WorkerConfig& config)
    : Dispatcher(id, here, hooks),
      idle_spin_(config.spin_ticks, config.idle_spin_ticks),
      sleep_(bound_hooks(), meter()) {
  if (config.doorbell != nullptr) {
    inbox().set_doorbell(*config.doorbell);
  }
}

void Scheduler::deliver_inbox() {
  if (exposes_) [[unlikely]] {
    bound_hooks().withdraw_exposed();
  }
  for (InboxItem* item = inbox().take_all(); item != nullptr;) {
    InboxItem* const after = item->next;  // deliver() may free the item or push it to another inbox
    item->deliver(bound_hooks().here(), *item);
    item = after;
  }
}

ExecutionContext* Scheduler::next_ready() {
  for (;;) {
    between_ranks(false);
    if (ExecutionContext* const context = run_queue().pop(); context != nullptr) {
      return context;
    }
    if (is_stopping_) {
      return nullptr;
    }
    idle();
    if (ExecutionContext* const context = run_queue().pop(); context != nullptr) {
      return context;
    }
  }
}

// Runs deferred work, then polls, then sleeps.
void Scheduler::idle() {
  if (has_deferred()) {
    run_deferred();
    if (!run_queue().empty()) {
      return;
    }
  }
  const std::uint64_t start = ticks();
  if (running() != nullptr) {
    charge(start);
  }
  const bool slept = !spin_for_work() && !bound_hooks().on_idle(true);
  if (slept) {
    sleep_.sleep();
  }
  bound_hooks().idle_over();
  begin_segment();
  if (slept && !sleepers().any()) {  // else a rank may have determined how long it slept
    idle_spin_.slept(running_since() - start);
  }
  meter().idled(start, running_since(), slept);
}

bool Scheduler::spin_for_work() {
  const std::uint64_t start = ticks();
  const std::uint64_t end = start + idle_spin_.limit(meter().undisturbed(start));
  do {
    for (int i = 0; i < 16; ++i) {
      poll();
      if (has_work()) {
        return true;
      }
      _mm_pause();
    }
    if (idle_spin_.has_own_core()) {
      bound_hooks().help();
    }
    if (bound_hooks().on_idle(ticks() - start > idle_spin_.shortest() / 4)) {
      return true;
    }
  } while (ticks() < end && !bound_hooks().core_is_wanted());
  return !inbox().empty();
}

void Scheduler::wake_due() {
  const MonotonicTime now = monotonic_now();
  while (ExecutionContext* const context = sleep_.ranks().take_due(now)) {
    make_ready(*context);
  }
}

}  // namespace sched
}  // namespace weft::runtime
