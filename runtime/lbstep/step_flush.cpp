// Before ranks are packed: nothing may be under way any more.
#include <memory>

#include "runtime/job/job.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {

// Goes through a worker's inbox: what came before it has been delivered.
struct Step::Fence : InboxItem {
  Step* step = nullptr;
};

void Step::advance() {
  const bool all_said = (flush_ == Flush::messages && markers_[0] == cluster_.count()) ||
                        (flush_ == Flush::answers && markers_[1] == cluster_.count());
  if (all_said) {
    markers_[flush_ == Flush::messages ? 0 : 1] = 0;
    flush_ = flush_ == Flush::messages ? Flush::inboxes : Flush::last_inboxes;
    fence_inboxes();
  } else if (fences_ != 0) {
    return;
  } else if (flush_ == Flush::inboxes && cluster_.rendezvous_reads.load(std::memory_order_acquire) == 0) {
    flush_ = Flush::answers;
    control_.send_control_to_all(FlushMarker{.answers = true});
  } else if (flush_ == Flush::last_inboxes) {
    flush_ = Flush::none;
    start_moves();
  }
}

void Step::fence_inboxes() {
  Job& job = cluster_.job();
  fences_ = job.worker_count();
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    auto fence = std::make_unique<Fence>();
    fence->step = this;
    fence->deliver = [](Worker&, InboxItem& item) {
      const std::unique_ptr<Fence> ends(static_cast<Fence*>(&item));
      Step& step = *ends->step;
      const Guard guard(step);
      if (--step.fences_ == 0) {
        step.advance();
      }
    };
    job.worker(w).inbox().push(*fence.release());
  }
}

void Step::reads_ended() {
  const Guard guard(*this);
  if (flush_ == Flush::inboxes) {
    advance();
  }
}

}  // namespace weft::runtime
