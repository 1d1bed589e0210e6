#include "runtime/lbstep/step_barrier.hpp"

#include <memory>
#include <utility>

#include "runtime/sched/worker.hpp"

namespace weft::runtime {

struct StepBarrier::Opening : InboxItem {
  StepBarrier* barrier = nullptr;
};

void StepBarrier::open(std::uint64_t generation) {
  if (is_open_for_good()) {
    return;
  }
  // Pairs with is_open().
  opened_.store(generation, std::memory_order_release);
  for (Worker* const worker : workers_) {
    auto item = std::make_unique<Opening>();
    item->deliver = &wake_waiting;
    item->barrier = this;
    worker->inbox().push(*item.release());
  }
}

void StepBarrier::wait(ExecutionContext& me, std::uint64_t generation) {
  while (!is_open(generation)) {
    Worker& here = *Worker::current();
    me.next = std::exchange(waiting_[number(here.id())], &me);
    here.park(me);
  }
}

// Those that wait for a later one wait again.
void StepBarrier::wake_waiting(Worker& here, InboxItem& item) {
  const std::unique_ptr<Opening> ends(static_cast<Opening*>(&item));
  ExecutionContext*& first = ends->barrier->waiting_[number(here.id())];
  for (ExecutionContext* context = std::exchange(first, nullptr); context != nullptr;) {
    ExecutionContext* const after = context->next;
    here.make_ready(*context);
    context = after;
  }
}

}  // namespace weft::runtime
