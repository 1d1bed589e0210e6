#include "runtime/net/bell.hpp"

#include "base/futex.hpp"
#include "runtime/net/bell_protocol.hpp"

namespace weft::net {

std::uint32_t announce_sleep(Bell& bell) {
  // Pairs with the increment in ring(): what a ringer had put down before is seen by the sleeper's look, which follows.
  const std::uint32_t seen = bell.word.load(std::memory_order_acquire);
  // Pairs with the load in ring(): either the sleeper's look, which follows, sees what was put down, or who put it down
  // sees `asleep`. With less than sequential consistency both could miss, and the worker would sleep on its work.
  bell.asleep.exchange(1, std::memory_order_seq_cst);
  return seen;
}

// Pairs with the look in ring(), which then leaves this worker alone. Nothing else hangs on it: the worker looks again
// before it sleeps.
void stay_awake(Bell& bell) { bell.asleep.store(0, std::memory_order_release); }

void sleep(Bell& bell, std::uint32_t seen) {
  // Pairs with the increment in ring(): what the ringer put down is seen once this has returned.
  while (bell.word.load(std::memory_order_acquire) == seen) {
    base::futex_wait(bell.word, seen, base::FutexScope::kMachine);
  }
  bell.asleep.store(0, std::memory_order_relaxed);
}

bool ring(Bell& bell) {
  struct Operations {
    Bell& bell;

    // Pairs with the exchange in announce_sleep(), as said there.
    bool is_asleep() const { return bell.asleep.load(std::memory_order_seq_cst) != 0; }
    // Acquire: pairs with that of another thread in ring(), so that one of them rings. Release: pairs with
    // Inbox::was_rung(), whose caller sees what was put down.
    bool claim_sleeper() const { return bell.asleep.exchange(0, std::memory_order_acq_rel) != 0; }
    // Pairs with sleep(), and with Inbox::wakeups().
    void count_wakeup() const { bell.word.fetch_add(1, std::memory_order_release); }
    void wake_sleeper() const { base::futex_wake_one(bell.word, base::FutexScope::kMachine); }
  };
  return ringing::ring(Operations{bell});
}

bool ring_one(std::span<Bell> bells) {
  for (Bell& bell : bells) {
    if (ring(bell)) {
      return true;
    }
  }
  return false;
}

}  // namespace weft::net
