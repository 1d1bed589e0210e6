#include "runtime/net/doorbell.hpp"

#include "base/futex.hpp"
#include "runtime/net/doorbell_protocol.hpp"

namespace weft::net {

std::uint32_t announce_sleep(Doorbell& doorbell) {
  // Pairs with the increment in ring(): the sleeper's look, which follows, sees what the ringing thread had stored
  // before.
  const std::uint32_t seen = doorbell.word.load(std::memory_order_acquire);
  // Pairs with the load in ring(): either the sleeper's look, which follows, sees what was stored, or the storing
  // thread sees `asleep`. With less than sequential consistency both could miss, and the worker would sleep although it
  // has work.
  doorbell.asleep.exchange(1, std::memory_order_seq_cst);
  return seen;
}

// Pairs with the load in ring(), which then does not wake this worker. No data depends on it: the worker looks again
// before it sleeps.
void stay_awake(Doorbell& doorbell) { doorbell.asleep.store(0, std::memory_order_release); }

void sleep(Doorbell& doorbell, std::uint32_t seen) {
  // Pairs with the increment in ring(): once this returns, what the ringing thread stored is visible.
  while (doorbell.word.load(std::memory_order_acquire) == seen) {
    base::futex_wait(doorbell.word, seen, base::FutexScope::kMachine);
  }
  // `asleep` may still be set. A thread that had claimed an earlier sleep may have added to `word` only now; then
  // nobody has claimed this one.
  doorbell.asleep.store(0, std::memory_order_relaxed);
}

bool ring(Doorbell& doorbell) {
  struct Operations {
    Doorbell& doorbell;

    // Pairs with the exchange in announce_sleep(), as said there.
    bool is_asleep() const { return doorbell.asleep.load(std::memory_order_seq_cst) != 0; }
    // Acquire: pairs with the same exchange of another thread in ring(), so that only one of them wakes the sleeper.
    // Release: pairs with Inbox::was_rung(), whose caller sees what was stored.
    bool claim_sleeper() const { return doorbell.asleep.exchange(0, std::memory_order_acq_rel) != 0; }
    // Pairs with sleep(), and with Inbox::wakeups().
    void count_wakeup() const { doorbell.word.fetch_add(1, std::memory_order_release); }
    void wake_sleeper() const { base::futex_wake_one(doorbell.word, base::FutexScope::kMachine); }
  };
  return ringing::ring(Operations{doorbell});
}

bool ring_one(std::span<Doorbell> doorbells) {
  for (Doorbell& doorbell : doorbells) {
    if (ring(doorbell)) {
      return true;
    }
  }
  return false;
}

}  // namespace weft::net
