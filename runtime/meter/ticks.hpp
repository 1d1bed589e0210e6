// The time stamp counter: the cheapest clock there is (about 10 ns a read on a virtual machine).
#pragma once

#include <cstdint>
#include <utility>

#include <x86intrin.h>

namespace weft::runtime {
inline namespace meter {

inline std::uint64_t ticks() { return __rdtsc(); }

// Reads the counter and another clock at the same moment, as exactly as a few tries get: the thread may be interrupted
// between the two.
template <typename Clock>
std::pair<std::uint64_t, typename Clock::time_point> ticks_at() {
  std::pair<std::uint64_t, typename Clock::time_point> best;
  std::uint64_t tightest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = ticks();
    const auto time = Clock::now();
    const std::uint64_t after = ticks();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + tightest / 2, time};
    }
  }
  return best;
}

// The counter's rate, measured once per process against the steady clock: the first call takes 2 ms.
double ticks_per_second();

}  // namespace meter
}  // namespace weft::runtime
