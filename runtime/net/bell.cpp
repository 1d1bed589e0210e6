#include "runtime/net/bell.hpp"

#include "base/futex.hpp"

namespace weft::net {

std::uint32_t announce_sleep(Bell& bell) {
  const std::uint32_t seen = bell.word.load(std::memory_order_acquire);
  // Either the sleeper's look, which follows, sees what was put down, or who put it down sees `asleep`.
  bell.asleep.exchange(1, std::memory_order_seq_cst);
  return seen;
}

void stay_awake(Bell& bell) { bell.asleep.store(0, std::memory_order_release); }

void sleep(Bell& bell, std::uint32_t seen) {
  while (bell.word.load(std::memory_order_acquire) == seen) {
    base::futex_wait(bell.word, seen, base::FutexScope::kMachine);
  }
  bell.asleep.store(0, std::memory_order_relaxed);
}

bool ring(Bell& bell) {
  if (bell.asleep.load(std::memory_order_seq_cst) == 0 || bell.asleep.exchange(0, std::memory_order_acq_rel) == 0) {
    return false;
  }
  bell.word.fetch_add(1, std::memory_order_release);
  base::futex_wake_one(bell.word, base::FutexScope::kMachine);
  return true;
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
