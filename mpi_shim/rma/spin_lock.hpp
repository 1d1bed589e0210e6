// A spin lock between threads of this process, for short critical sections. Must not be held while a rank is suspended.
#pragma once

#include <sched.h>

#include <atomic>

namespace weft::mpi_shim::rma {

class SpinLock {
 public:
  void lock() {
    // Pairs with unlock(): the next holder sees what this one wrote.
    while (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]] {
      wait();
    }
  }
  // Pairs with the exchange in lock().
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  // Yields after a while, since the holder may have lost its core.
  [[gnu::noinline]] void wait() {
    constexpr int kLooks = 200;
    for (int i = 0; taken_.load(std::memory_order_relaxed); ++i) {
      if (i < kLooks) {
        __builtin_ia32_pause();
      } else {
        sched_yield();
      }
    }
  }

  std::atomic<bool> taken_ = false;
};

}  // namespace weft::mpi_shim::rma
