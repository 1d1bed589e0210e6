#include "runtime/net/bell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::net {
namespace {

// Not private: the sleeper may be another process.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

std::uint32_t announce_sleep(Bell& bell) {
  const std::uint32_t seen = bell.word.load(std::memory_order_acquire);
  // Either the sleeper's look, which follows, sees what was put down, or who put it down sees `asleep`.
  bell.asleep.exchange(1, std::memory_order_seq_cst);
  return seen;
}

void stay_awake(Bell& bell) { bell.asleep.store(0, std::memory_order_release); }

void sleep(Bell& bell, std::uint32_t seen) {
  while (bell.word.load(std::memory_order_acquire) == seen) {
    futex(bell.word, FUTEX_WAIT, seen);
  }
  bell.asleep.store(0, std::memory_order_relaxed);
}

bool ring(Bell& bell) {
  if (bell.asleep.load(std::memory_order_seq_cst) == 0 || bell.asleep.exchange(0, std::memory_order_acq_rel) == 0) {
    return false;
  }
  bell.word.fetch_add(1, std::memory_order_release);
  futex(bell.word, FUTEX_WAKE, 1);
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
