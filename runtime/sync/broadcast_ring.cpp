#include "runtime/sync/broadcast_ring.hpp"

#include <algorithm>
#include <utility>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sync/asymmetric_fence.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

BroadcastRing::BroadcastRing(std::uint32_t members, bool members_seldom_sleep)
    : posters_fence_(!members_seldom_sleep || !has_asymmetric_fence()), members_(members) {}

bool BroadcastRing::has_room(std::uint32_t member) {
  MemberState& mine = members_[member];
  // Signed, here and below: the numbers of broadcasts wrap around.
  const auto left = [&] { return static_cast<std::int32_t>(mine.room_until - mine.completed); };
  if (left() > 0) [[likely]] {
    return true;
  }
  std::int32_t read = 0;  // what all others have read, relative to the member's current broadcast
  for (const MemberState& other : members_) {
    if (&other != &mine) {  // pairs with advance()
      read = std::min(
          read, static_cast<std::int32_t>(other.reads_published.load(std::memory_order_acquire) - mine.completed));
    }
  }
  mine.room_until = mine.completed + kSlots + static_cast<std::uint32_t>(read);
  return left() > 0;
}

void BroadcastRing::post(std::uint32_t member, std::uint64_t signature) {
  Slot& mine = slot(members_[member].completed);
  mine.signature = signature;
  // The release pairs with is_posted(). The store must precede the load of `asleep`. Pairs with start_waiting(): either
  // the root sees a sleeping reader, or the reader sees the posted broadcast.
  if (posters_fence_) {
    mine.number.exchange(members_[member].completed + 1, std::memory_order_seq_cst);
  } else {
    mine.number.store(members_[member].completed + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the asymmetric_fence() of start_waiting() does the rest
  }
  // Pairs with start_waiting(), as above.
  if (Waiters& readers = waiters(Awaited::posted); readers.asleep.load(std::memory_order_seq_cst) != 0) [[unlikely]] {
    wake(readers);
  }
}

void BroadcastRing::advance(std::uint32_t member, std::uint64_t signature) {
  MemberState& state = members_[member];
  state.hash = (state.hash ^ signature ^ state.completed) * 0x9e3779b97f4a7c15U;
  ++state.completed;
  __builtin_prefetch(&slot(state.completed));  // the member's next slot may be in another core's cache
  __builtin_prefetch(&slot(state.completed + 1));
  if (state.completed % kReadsPerUpdate != 0) [[likely]] {
    return;
  }
  // Release: pairs with has_room(), which sees that the member has read. The store must precede the load of `asleep`:
  // pairs with start_waiting(), as in post().
  state.reads_published.exchange(state.completed, std::memory_order_seq_cst);
  // Pairs with start_waiting(), as above.
  if (Waiters& roots = waiters(Awaited::room); roots.asleep.load(std::memory_order_seq_cst) != 0) [[unlikely]] {
    wake(roots);
  }
}

void BroadcastRing::start_waiting(Member& me, Awaited what, Request& request) {
  start_event(me, -1, {.context = kTeamContext}, request);
  Waiters& waiting = waiters(what);
  // Pairs with post() and advance(): see there.
  waiting.asleep.fetch_add(1, std::memory_order_seq_cst);  // first: `asleep` is never less than the list is long
  {
    const std::lock_guard lock(mutex_);
    waiting.requests.push_back(&request);
  }
  if (!posters_fence_) {
    asymmetric_fence();
  }
}

void BroadcastRing::stop_waiting(Request& request) {
  const std::lock_guard lock(mutex_);
  for (Waiters& waiting : waiters_) {
    if (std::erase(waiting.requests, &request) != 0) {
      waiting.asleep.fetch_sub(1, std::memory_order_relaxed);
      request.done = true;
    }
  }
}

void BroadcastRing::wake_all() {
  for (Waiters& waiting : waiters_) {
    // Pairs with start_waiting().
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
  for (Request* const request : woken) {
    finish_event(*request);
  }
}

}  // namespace sync
}  // namespace weft::runtime
