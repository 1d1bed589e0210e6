// How the launcher and the proxies of a job with --survive notice that the other side's host has failed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace weft::bootstrap {

// Each side sends so many heartbeats in the time after which a silent host counts as lost.
constexpr int kHeartbeatsPerTimeout = 6;

// A proxy's heartbeats to the launcher, and whether the launcher's still arrive.
class LauncherHeartbeat {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LauncherHeartbeat(std::chrono::milliseconds timeout) : host_timeout_(timeout) {}

  bool is_heartbeat_due() {
    const auto now = Clock::now();
    const bool is_due = now >= next_heartbeat_;
    next_heartbeat_ = is_due ? now + host_timeout_ / kHeartbeatsPerTimeout : next_heartbeat_;
    return is_due;
  }
  // True the first time that the launcher has sent nothing for too long.
  bool has_timed_out() {
    const bool is_silent = Clock::now() - last_message_ > host_timeout_;
    return is_silent && !std::exchange(is_silent_, true);
  }
  // A message of the launcher has arrived. True if it had timed out before.
  bool note_message() {
    last_message_ = Clock::now();
    return std::exchange(is_silent_, false);
  }
  int milliseconds_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_heartbeat_ - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }

 private:
  const std::chrono::milliseconds host_timeout_;
  Clock::time_point last_message_ = Clock::now();
  Clock::time_point next_heartbeat_ = last_message_;
  bool is_silent_ = false;
};

}  // namespace weft::bootstrap
