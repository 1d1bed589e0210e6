#include "runtime/sched/sleeping_ranks.hpp"

#include <algorithm>

#include "runtime/sched/rank_context.hpp"

namespace weft::runtime {
inline namespace sched {

void SleepingRanks::add(ExecutionContext& context, MonotonicTime until) {
  heap_.push_back({until, sleeps_++, &context});
  std::ranges::push_heap(heap_, &SleepingRanks::later);
  update_next();
}

ExecutionContext* SleepingRanks::take_due(MonotonicTime now) {
  if (interrupted_.load(std::memory_order_relaxed)) {
    if (ExecutionContext* const context = take_interrupted(); context != nullptr) {
      return context;
    }
  }
  if (heap_.empty() || heap_.front().until > now) {
    return nullptr;
  }
  std::ranges::pop_heap(heap_, &SleepingRanks::later);
  ExecutionContext* const context = heap_.back().context;
  heap_.pop_back();
  update_next();
  return context;
}

// The flag stays set until none is found: several sleeps may have been interrupted.
ExecutionContext* SleepingRanks::take_interrupted() {
  // Cleared before the search, so that an interruption during it leads to another search. Pairs with the release in
  // interrupt(): the search sees the RankContext::interrupted that was set before the flag.
  interrupted_.exchange(false, std::memory_order_acq_rel);
  const auto found =
      std::ranges::find_if(heap_, [](const Sleep& sleep) { return sleep.context->owner->interrupted.load(); });
  if (found == heap_.end()) {
    return nullptr;
  }
  interrupted_.store(true, std::memory_order_relaxed);
  ExecutionContext* const context = found->context;
  heap_.erase(found);
  std::ranges::make_heap(heap_, &SleepingRanks::later);
  update_next();
  return context;
}

void SleepingRanks::update_next() {
  next_.store(heap_.empty() ? kNever : heap_.front().until, std::memory_order_relaxed);
}

}  // namespace sched
}  // namespace weft::runtime
