#include "runtime/sched/pauses.hpp"

#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// Runs `act` on the worker of the calling rank's fibre; nothing where it must not. REQUIRES: the rank is in no other
// call.
template <typename Act>
Pause at_worker(Act&& act) {
  const RankContext* const me = current_context();
  if (me == nullptr || me->suspension_guards != 0) {
    return Pause::refused;
  }
  bool entered = resume_call();  // true where threads share the worker and the rank computes
  entered = keep_thread_in_region(*Worker::current()) || entered;
  Pause result = Pause::refused;
  // A rank whose threads make calls has this thread to itself.
  if (Worker& here = *Worker::current(); here.context()->lock_waiter == nullptr) {
    result = act(here);
  }
  if (entered) {
    leave_call();
  }
  return result;
}

}  // namespace

Pause let_others_run() {
  return at_worker([](Worker& here) { return here.yield() ? Pause::done : Pause::refused; });
}

Pause sleep_until(MonotonicTime until) {
  return at_worker([until](Worker& here) { return here.sleep_until(until) ? Pause::done : Pause::interrupted; });
}

void preempt() {
  at_worker([](Worker& here) {
    here.note_preemption();
    return here.yield() ? Pause::done : Pause::refused;
  });
}

void interrupt_sleep(RankContext& rank) {
  // Pairs with take_interrupted().
  rank.interrupted.store(true, std::memory_order_release);
  // Pairs with arrive_at_worker().
  if (Worker* const worker = rank.worker.load(std::memory_order_acquire); worker != nullptr) {
    worker->interrupt_sleeps();
  }
}

SuspensionGuard::SuspensionGuard() : rank_(*current_context()) { ++rank_.suspension_guards; }
SuspensionGuard::~SuspensionGuard() { --rank_.suspension_guards; }

}  // namespace sched
}  // namespace weft::runtime
