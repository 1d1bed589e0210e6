// Short broadcasts of a team whose roots do not wait: the root of each writes the next slot of a ring, and the other
// members read it when they come to the call.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace sync {

class Member;

// What a member waits for in the broadcast ring: that its broadcast is posted; or, as its root, that the others have
// read the slot which it is about to overwrite.
enum class Awaited : std::uint8_t { posted, room };

// All members take part in the same broadcasts in the same order. A member's current broadcast is the next one that it
// has not completed. Its root waits until it has_room(), writes page() and calls post(); the others wait until it
// is_posted(), and read page(). Then each calls advance(). The functions with a `member` are called by that member,
// unless they say something else.
class BroadcastRing {
 public:
  static constexpr std::size_t kBytes = 1024;

  // `members_seldom_sleep`: members that go to sleep pay for the fences, so that posting needs none.
  BroadcastRing(std::uint32_t members, bool members_seldom_sleep);

  // For the root: whether all have read the earlier broadcast in the slot of the member's current one.
  bool has_room(std::uint32_t member);
  // Whether the member's current broadcast is there. Pairs with post(): the page is visible.
  bool is_posted(std::uint32_t member) const {
    const MemberState& state = members_[member];
    return slot(state.completed).number.load(std::memory_order_acquire) == state.completed + 1;
  }
  // kBytes of the current broadcast: its root writes them, the others read them once it is posted.
  std::byte* page(std::uint32_t member) { return slot(members_[member].completed).bytes; }
  // The call signature that its root has posted with it.
  std::uint64_t signature(std::uint32_t member) const { return slot(members_[member].completed).signature; }
  // By the root, once it has written page(): shows the others the page and the signature of this call.
  void post(std::uint32_t member, std::uint64_t signature);
  // Completes the member's current broadcast; its call signature goes into hash().
  void advance(std::uint32_t member, std::uint64_t signature);

  bool is_ready(std::uint32_t member, Awaited what) {
    return what == Awaited::room ? has_room(member) : is_posted(member);
  }
  // `request` becomes something to wait for (wait_any()): it is done when `what` may be ready, or at wake_all(). The
  // caller then asks is_ready() once more before it waits: what was ready before this call wakes nobody.
  void start_waiting(Member& me, Awaited what, Request& request);
  // By the same member: it need not be woken any more. `request` is done afterwards, unless another thread is about to
  // wake the member: so the caller waits for it in any case.
  void stop_waiting(Request& request);
  // Wakes the members that sleep, to look again at what they wait for. Any member.
  void wake_all();

  // A hash of the broadcasts that the member has completed: it differs between members that were in different ones, and
  // is 0 at first.
  std::uint64_t hash(std::uint32_t member) const { return members_[member].hash; }
  void reset_hash(std::uint32_t member) { members_[member].hash = 0; }
  // How many broadcasts a member has completed, and the signature of the call that it is in. Other members may read
  // both between two barriers.
  std::uint32_t completed(std::uint32_t member) const { return members_[member].completed; }
  std::uint64_t& current_call(std::uint32_t member) { return members_[member].call; }

 private:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kReadsPerUpdate = kSlots / 2;  // after so many a member publishes what it has read

  // Written by the root of its broadcast, read by the others once they see the number.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> number = 0;  // of the broadcast in it, from 1
    std::uint64_t signature = 0;
    std::byte bytes[kBytes];
  };
  // Touched by its member only, except `reads_published` and what completed() and current_call() say.
  struct MemberState {
    alignas(64) std::uint32_t completed = 0;  // broadcasts; the number, from 0, of the current one
    std::uint32_t room_until = kSlots;        // as a root it may post broadcasts with smaller numbers than this
    std::uint64_t hash = 0;
    std::uint64_t call = 0;
    alignas(64) std::atomic<std::uint32_t> reads_published = 0;  // value of `completed` that the others see
  };
  struct Waiters {
    std::atomic<std::uint32_t> asleep = 0;  // how many; never fewer than `requests`
    std::vector<Request*> requests;         // guarded by mutex_
  };

  Slot& slot(std::uint32_t broadcast) { return slots_[broadcast % kSlots]; }
  const Slot& slot(std::uint32_t broadcast) const { return slots_[broadcast % kSlots]; }
  Waiters& waiters(Awaited what) { return waiters_[static_cast<std::size_t>(what)]; }
  void wake(Waiters& waiters);

  const bool posters_fence_;  // else members that go to sleep make the fence
  std::array<Slot, kSlots> slots_;
  std::vector<MemberState> members_;  // by member
  alignas(64) std::array<Waiters, 2> waiters_;
  std::mutex mutex_;  // guards Waiters::requests
};

}  // namespace sync
}  // namespace weft::runtime
