#include "runtime/sched/sleepers.hpp"

#include <algorithm>

#include "runtime/sched/rank.hpp"

namespace weft::runtime {

void Sleepers::add(ExecutionContext& strand, MonotonicTime until) {
  heap_.push_back({until, sleeps_++, &strand});
  std::ranges::push_heap(heap_, &Sleepers::later);
  note_next();
}

ExecutionContext* Sleepers::take_due(MonotonicTime now) {
  if (interrupted_.load(std::memory_order_relaxed)) {
    if (ExecutionContext* const strand = take_interrupted(); strand != nullptr) {
      return strand;
    }
  }
  if (heap_.empty() || heap_.front().until > now) {
    return nullptr;
  }
  std::ranges::pop_heap(heap_, &Sleepers::later);
  ExecutionContext* const strand = heap_.back().strand;
  heap_.pop_back();
  note_next();
  return strand;
}

// The flag stays set until none is found: several may have been interrupted.
ExecutionContext* Sleepers::take_interrupted() {
  // Cleared before the search, so that an interruption that comes meanwhile leads to another search. Pairs with the
  // release in interrupt(): the search sees Rank::interrupted of whoever had set the flag.
  interrupted_.exchange(false, std::memory_order_acq_rel);
  const auto found =
      std::ranges::find_if(heap_, [](const Sleep& sleep) { return sleep.strand->owner->interrupted.load(); });
  if (found == heap_.end()) {
    return nullptr;
  }
  interrupted_.store(true, std::memory_order_relaxed);
  ExecutionContext* const strand = found->strand;
  heap_.erase(found);
  std::ranges::make_heap(heap_, &Sleepers::later);
  note_next();
  return strand;
}

void Sleepers::note_next() { next_.store(heap_.empty() ? kNever : heap_.front().until, std::memory_order_relaxed); }

}  // namespace weft::runtime
