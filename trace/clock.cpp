#include "trace/clock.hpp"

#include <algorithm>

namespace weft::trace {
namespace {

// In shorter runs the rate that was known at the start is more accurate than a measured one.
constexpr std::int64_t kLongEnough = 50'000'000;  // nanoseconds

}  // namespace

double ticks_per_nanosecond(const Clock& clock) {
  const std::int64_t span = clock.end.nanoseconds - clock.begin.nanoseconds;
  if (span < kLongEnough || clock.end.ticks <= clock.begin.ticks) {
    return static_cast<double>(clock.ticks_per_second) * 1e-9;
  }
  return static_cast<double>(clock.end.ticks - clock.begin.ticks) / static_cast<double>(span);
}

ClockTranslation::ClockTranslation(const Clock& first, const Clock& clock)
    : same_(clock.host == first.host),
      from_(clock.begin.ticks),
      rate_(ticks_per_nanosecond(first) / ticks_per_nanosecond(clock)),
      to_(static_cast<double>(first.begin.ticks) +
          static_cast<double>(clock.begin.nanoseconds - first.begin.nanoseconds) * ticks_per_nanosecond(first)) {}

std::uint64_t ClockTranslation::time(std::uint64_t ticks) const {
  if (same_) {
    return ticks;
  }
  const double since = static_cast<double>(static_cast<std::int64_t>(ticks - from_));
  return static_cast<std::uint64_t>(std::max(0.0, to_ + since * rate_));
}

std::int64_t ClockTranslation::duration(std::int64_t ticks) const {
  return same_ ? ticks : static_cast<std::int64_t>(static_cast<double>(ticks) * rate_);
}

}  // namespace weft::trace
