// How the launcher and the proxies of a job with --survive notice that the other's host is gone.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace weft::bootstrap {

// Each gives so many signs of life in the time of silence after which a host is lost.
constexpr int kSignsInSilence = 6;

// When a proxy gives a sign of life to the launcher, and whether it still hears of that.
class LauncherWatch {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LauncherWatch(std::chrono::milliseconds silence) : silence_(silence) {}

  bool sign_is_due() {
    const auto now = Clock::now();
    const bool is_due = now >= next_sign_;
    next_sign_ = is_due ? now + silence_ / kSignsInSilence : next_sign_;
    return is_due;
  }
  // True when it has just become so.
  bool has_fallen_silent() {
    const bool is_silent = Clock::now() - heard_ > silence_;
    return is_silent && !std::exchange(is_silent_, true);
  }
  // True if it had fallen silent.
  bool heard() {
    heard_ = Clock::now();
    return std::exchange(is_silent_, false);
  }
  int milliseconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_sign_ - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }

 private:
  const std::chrono::milliseconds silence_;
  Clock::time_point heard_ = Clock::now();
  Clock::time_point next_sign_ = heard_;
  bool is_silent_ = false;
};

}  // namespace weft::bootstrap
