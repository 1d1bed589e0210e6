#include "runtime/lbstep/step_barrier.hpp"

#include <utility>

#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace lbstep {

StepBarrier::StepBarrier(std::span<Worker* const> workers)
    : workers_(workers), nodes_(std::make_unique<WorkerNode[]>(workers.size())) {
  for (WorkerNode& node : std::span(nodes_.get(), workers.size())) {
    node.deliver = &wake_waiting;
  }
}

void StepBarrier::open(std::uint64_t generation) {
  if (is_open_for_good()) {
    return;
  }
  // Pairs with is_open().
  opened_.store(generation, std::memory_order_release);
  for (Worker* const worker : workers_) {
    WorkerNode& node = nodes_[number(worker->id())];
    // Pairs with wake_waiting(): if the item of an earlier opening is still in the inbox, that call sees this opening
    // too.
    if (!node.in_inbox.exchange(true, std::memory_order_acq_rel)) {
      worker->inbox().push(node);
    }
  }
}

void StepBarrier::wait(ExecutionContext& me, std::uint64_t generation) {
  while (!is_open(generation)) {
    Worker& here = *Worker::current();
    me.next = std::exchange(nodes_[number(here.id())].waiting, &me);
    here.park(me);
  }
}

// Contexts that wait for a later generation wait again.
void StepBarrier::wake_waiting(Worker& here, InboxItem& item) {
  WorkerNode& node = static_cast<WorkerNode&>(item);
  // Pairs with open(): a thread that finds the item in the inbox has opened the barrier before this exchange.
  node.in_inbox.exchange(false, std::memory_order_acq_rel);
  for (ExecutionContext* context = std::exchange(node.waiting, nullptr); context != nullptr;) {
    ExecutionContext* const after = context->next;
    here.make_ready(*context);
    context = after;
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
