#include "runtime/meter/ticks.hpp"

#include <chrono>

namespace weft::runtime {
namespace {

double measure() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::uint64_t first = ticks();
  auto end = start;
  do {
    end = Clock::now();
  } while (end - start < std::chrono::milliseconds(2));
  return static_cast<double>(ticks() - first) / std::chrono::duration<double>(end - start).count();
}

}  // namespace

double ticks_per_second() {
  static const double rate = measure();
  return rate;
}

}  // namespace weft::runtime
