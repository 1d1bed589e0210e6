// Waits for a word in memory to change, and wakes waiters: futex(2). Leaves errno unchanged: it may be a rank's own.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace weft::base {

// Whether the word is in memory that other processes share.
enum class FutexScope : int { kProcess = FUTEX_PRIVATE_FLAG, kMachine = 0 };

// Returns when woken, at once if the word differs from `seen`, and sometimes spuriously.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen, FutexScope scope) {
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT | static_cast<int>(scope), seen, nullptr, nullptr, 0);
  errno = saved_errno;
}
// The same, but returns at `until` at the latest: nanoseconds of CLOCK_MONOTONIC.
inline void futex_wait_until(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::int64_t until,
                             FutexScope scope) {
  constexpr std::int64_t kSecond = 1000000000;
  const timespec time{until / kSecond, until % kSecond};
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | static_cast<int>(scope), seen, &time, nullptr, FUTEX_BITSET_MATCH_ANY);
  errno = saved_errno;
}
inline void futex_wake_one(const std::atomic<std::uint32_t>& word, FutexScope scope) {
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE | static_cast<int>(scope), 1, nullptr, nullptr, 0);
  errno = saved_errno;
}
inline void futex_wake_all(const std::atomic<std::uint32_t>& word, FutexScope scope) {
  const int saved_errno = errno;
  syscall(SYS_futex, &word, FUTEX_WAKE | static_cast<int>(scope), INT_MAX, nullptr, nullptr, 0);
  errno = saved_errno;
}

}  // namespace weft::base
