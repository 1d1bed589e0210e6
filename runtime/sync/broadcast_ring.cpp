#include "runtime/sync/broadcast_ring.hpp"

#include <algorithm>
#include <utility>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sync/asymmetric_fence.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

BroadcastRing::BroadcastRing(std::uint32_t members, bool few_sleep)
    : posters_pass_fences_(!few_sleep || !has_asymmetric_fence()), sides_(members) {}

bool BroadcastRing::room(std::uint32_t member) {
  Side& mine = sides_[member];
  const auto left = [&] { return static_cast<std::int32_t>(mine.room_until - mine.count); };
  if (left() > 0) [[likely]] {
    return true;
  }
  std::int32_t read = 0;  // of those before the member's own
  for (const Side& side : sides_) {
    if (&side != &mine) {  // pairs with pass()
      read = std::min(read, static_cast<std::int32_t>(side.reads_shown.load(std::memory_order_acquire) - mine.count));
    }
  }
  mine.room_until = mine.count + kSlots + static_cast<std::uint32_t>(read);
  return left() > 0;
}

void BroadcastRing::post(std::uint32_t member, std::uint64_t mark) {
  Slot& mine = slot(sides_[member].count);
  mine.mark = mark;
  // The release pairs with posted(). Store, then load: pairs with await(), so that either the root sees who sleeps or
  // that one sees the posting.
  if (posters_pass_fences_) {
    mine.number.exchange(sides_[member].count + 1, std::memory_order_seq_cst);
  } else {
    mine.number.store(sides_[member].count + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the look at the sleepers is behind it
  }
  // Pairs with await(), as above.
  if (Waiters& readers = waiters(Awaited::posted); readers.asleep.load(std::memory_order_seq_cst) != 0) [[unlikely]] {
    wake(readers);
  }
}

void BroadcastRing::pass(std::uint32_t member, std::uint64_t mark) {
  Side& side = sides_[member];
  side.hash = (side.hash ^ mark ^ side.count) * 0x9e3779b97f4a7c15U;
  ++side.count;
  __builtin_prefetch(&slot(side.count));  // what the member reads or writes next may be with another core
  __builtin_prefetch(&slot(side.count + 1));
  if (side.count % kReadsShown != 0) [[likely]] {
    return;
  }
  // Pairs with room(), which sees that the member has read; and, store then load, with await().
  side.reads_shown.exchange(side.count, std::memory_order_seq_cst);
  // Pairs with await(), as above.
  if (Waiters& roots = waiters(Awaited::room); roots.asleep.load(std::memory_order_seq_cst) != 0) [[unlikely]] {
    wake(roots);
  }
}

void BroadcastRing::await(Member& me, Awaited what, Request& over) {
  start_event(me, -1, {.context = kTeamContext}, over);
  Waiters& waiting = waiters(what);
  // Pairs with post() and pass(): see there.
  waiting.asleep.fetch_add(1, std::memory_order_seq_cst);  // never less than there are requests
  {
    const std::lock_guard lock(mutex_);
    waiting.requests.push_back(&over);
  }
  if (!posters_pass_fences_) {
    asymmetric_fence();
  }
}

void BroadcastRing::stop_waiting(Request& over) {
  const std::lock_guard lock(mutex_);
  for (Waiters& waiting : waiters_) {
    if (std::erase(waiting.requests, &over) != 0) {
      waiting.asleep.fetch_sub(1, std::memory_order_relaxed);
      over.done = true;
    }
  }
}

void BroadcastRing::wake_all() {
  for (Waiters& waiting : waiters_) {
    // Pairs with await().
    if (waiting.asleep.load(std::memory_order_seq_cst) != 0) {
      wake(waiting);
    }
  }
}

void BroadcastRing::wake(Waiters& waiters) {
  std::vector<Request*> woken;
  {
    const std::lock_guard lock(mutex_);
    woken.swap(waiters.requests);
  }
  waiters.asleep.fetch_sub(static_cast<std::uint32_t>(woken.size()), std::memory_order_relaxed);
  for (Request* const over : woken) {
    finish_event(*over);
  }
}

}  // namespace sync
}  // namespace weft::runtime
