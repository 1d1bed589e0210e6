#include "runtime/location/operations.hpp"

#include <immintrin.h>
#include <sched.h>

#include "runtime/sync/arrival.hpp"
#include "runtime/sync/asymmetric_fence.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace location {
namespace {

void deliver_arrival(Worker& worker, InboxItem& item) {
  LocationOperations op(worker);
  location::take_in(op, rank_of(*static_cast<OwnedItem<RankContext>&>(item).owner));
}

}  // namespace

void LocationOperations::set(Rank& rank, location::Location<Worker*> at) {
  rank.notices = 0;
  if (rank.worker_number != number(at.worker->id())) {
    rank.count_move();
  }
  rank.worker_number = number(at.worker->id());
  location::set_location(rank.worker, at);
}

// A post() is short, but its thread may have lost its core in the middle: then this one yields, too.
void LocationOperations::wait_for_posts() {
  asymmetric_fence();  // pairs with the compiler's fence in MessageWorker::begin_post()
  for (Worker* const worker : BalancingWorker::of(self_).workers()) {
    const MessageWorker& other = MessageWorker::of(*worker);
    for (int looks = 0; &other != &self_ && other.is_posting(); ++looks) {
      constexpr int kLooksBeforeYielding = 1000;
      if (looks < kLooksBeforeYielding) {
        _mm_pause();
      } else {
        sched_yield();
      }
    }
  }
}

void LocationOperations::push_arrival(Worker& worker, Rank& rank) {
  rank.arrival_item.deliver = &deliver_arrival;
  worker.inbox().push(rank.arrival_item);
}

void LocationOperations::make_ready(Rank& rank) { resume_at_worker(self_, rank); }

void LocationOperations::put_into_slot(Rank& rank) {
  BalancingWorker::of(self_).steal_slots().put(filled_slots_++, rank);
}

Rank* LocationOperations::steal_from(BalancingWorker& victim) {
  RankContext* const stolen = victim.steal_slots().steal();
  if (stolen == nullptr) {
    return nullptr;
  }
  Rank& rank = rank_of(*stolen);
  rank.moved_at = ticks();
  rank.switches_at_move = rank.load.switches.load(std::memory_order_relaxed);
  if (Recorder* const recorder = self_.recorder(); recorder != nullptr) {
    recorder->record_steal(rank.id, victim.global_number(), rank.last_event_at);
  }
  return &rank;
}

}  // namespace location
}  // namespace weft::runtime
