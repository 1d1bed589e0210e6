#include "runtime/meter/ticks.hpp"

#include <chrono>

namespace weft::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// Both clocks at one moment, as near as a few tries get: the thread may be interrupted between the two.
struct Moment {
  std::uint64_t ticks = 0;
  Clock::time_point time;
};

Moment now() {
  Moment best;
  std::uint64_t tightest = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = ticks();
    const auto time = Clock::now();
    const std::uint64_t after = ticks();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + (after - before) / 2, time};
    }
  }
  return best;
}

double measure() {
  const Moment start = now();
  while (Clock::now() - start.time < std::chrono::milliseconds(2)) {
  }
  const Moment end = now();
  return static_cast<double>(end.ticks - start.ticks) / std::chrono::duration<double>(end.time - start.time).count();
}

}  // namespace

double ticks_per_second() {
  static const double rate = measure();
  return rate;
}

}  // namespace weft::runtime
