#include "runtime/meter/ticks.hpp"

#include <chrono>

namespace weft::runtime {
inline namespace meter {
namespace {

using Clock = std::chrono::steady_clock;

double measure() {
  const auto [first_ticks, first] = ticks_at<Clock>();
  while (Clock::now() - first < std::chrono::milliseconds(2)) {
  }
  const auto [last_ticks, last] = ticks_at<Clock>();
  return static_cast<double>(last_ticks - first_ticks) / std::chrono::duration<double>(last - first).count();
}

}  // namespace

double ticks_per_second() {
  static const double rate = measure();
  return rate;
}

}  // namespace meter
}  // namespace weft::runtime
