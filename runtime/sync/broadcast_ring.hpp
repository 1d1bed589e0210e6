// Short broadcasts of a team whose roots do not wait: a ring of slots that the root of each writes in its turn and the
// others read when they come.
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

// What a member waits for in the broadcast ring: that others have read what is in its way, or that its broadcast is
// there.
enum class Awaited : std::uint8_t { posted, room };

// Members number their broadcasts, all in the same order; `member`'s own one is the next that it has not been through.
// Its root waits for room(), writes page() and calls post(); the others wait until it is posted(), and read; then each
// goes on to the next by pass(). A member's calls are made by itself, unless they say something else.
class BroadcastRing {
 public:
  static constexpr std::size_t kBytes = 1024;

  // `few_sleep`: members seldom sleep, so that they may pay for the fences.
  BroadcastRing(std::uint32_t members, bool few_sleep);

  // All have read what was where the member's own broadcast will be.
  bool room(std::uint32_t member);
  // Pairs with post(): the page is visible.
  bool posted(std::uint32_t member) const {
    const Side& side = sides_[member];
    return slot(side.count).number.load(std::memory_order_acquire) == side.count + 1;
  }
  // Where its root writes, kBytes of room, and the others read once it is posted.
  std::byte* page(std::uint32_t member) { return slot(sides_[member].count).bytes; }
  std::uint64_t mark(std::uint32_t member) const { return slot(sides_[member].count).mark; }
  void post(std::uint32_t member, std::uint64_t mark);
  // `mark`: what the broadcast was, for hash().
  void pass(std::uint32_t member, std::uint64_t mark);

  bool ready(std::uint32_t member, Awaited what) { return what == Awaited::room ? room(member) : posted(member); }
  // `over` becomes something to wait for (wait_any()) that is done when it may be ready, or at wake_all().
  void await(Member& me, Awaited what, Request& over);
  // After await(), by the same: what it waits for is there, or will never be.
  void stop_waiting(Request& over);
  // Wakes the members that sleep, to look again at what they wait for. Any member.
  void wake_all();

  // Differs between members that have been through different broadcasts; 0 at first.
  std::uint64_t hash(std::uint32_t member) const { return sides_[member].hash; }
  void forget(std::uint32_t member) { sides_[member].hash = 0; }
  // What members show each other by barrier before and after: how many broadcasts each has been through, and the call
  // that it is in.
  std::uint32_t count(std::uint32_t member) const { return sides_[member].count; }
  std::uint64_t& call(std::uint32_t member) { return sides_[member].call; }

 private:
  static constexpr std::uint32_t kSlots = 16;
  static constexpr std::uint32_t kReadsShown = kSlots / 2;  // a member shows after so many what it has read

  struct alignas(64) Slot {
    std::atomic<std::uint32_t> number = 0;  // of the broadcast that it shows, from 1
    std::uint64_t mark = 0;
    std::byte bytes[kBytes];
  };
  struct Side {
    alignas(64) std::uint32_t count = 0;
    std::uint32_t room_until = kSlots;  // it may post those that come before, as far as it knows
    std::uint64_t hash = 0;
    std::uint64_t call = 0;
    alignas(64) std::atomic<std::uint32_t> reads_shown = 0;  // others see that it has read those that come before
  };
  struct Waiters {
    std::atomic<std::uint32_t> asleep = 0;
    std::vector<Request*> requests;  // guarded by mutex_
  };

  Slot& slot(std::uint32_t count) { return slots_[count % kSlots]; }
  const Slot& slot(std::uint32_t count) const { return slots_[count % kSlots]; }
  Waiters& waiters(Awaited what) { return waiters_[static_cast<std::size_t>(what)]; }
  void wake(Waiters& waiters);

  const bool posters_pass_fences_;
  std::array<Slot, kSlots> slots_;
  std::vector<Side> sides_;  // by member
  alignas(64) std::array<Waiters, 2> waiters_;
  std::mutex mutex_;
};

}  // namespace sync
}  // namespace weft::runtime
