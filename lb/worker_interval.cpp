#include "lb/worker_interval.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::lb {
namespace {

// Shorter stretches say nothing: the system counts in ticks of 10 ms, and quotas come in periods of 100 ms.
constexpr double kStretch = 0.2;
constexpr double kTicksError = 0.03;
// A thousandth of a second tells little of how two share a core.
constexpr double kShareDoubt = 1e-3;
// Shorter times without the core come from waking up and from interrupts.
constexpr double kThrottled = 0.02;
constexpr double kLeastSpeed = 0.02;
// A quota that no longer binds is forgotten in so many seconds.
constexpr double kForget = 10;

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0; }

}  // namespace

void WorkerInterval::begin(const ThreadTimes& now, const CoreUse* core) {
  before_ = now;
  if (core != nullptr) {
    note_core(now, *core);
  }
}

IntervalLoad WorkerInterval::next(const ThreadTimes& now, const CoreUse* core, bool bound) {
  const ThreadTimes from = std::exchange(before_, now);
  IntervalLoad load;
  load.wall = now.at - from.at;
  load.ran = std::min(now.ran - from.ran, load.wall);
  if (!bound) {
    return load;
  }
  if (core != nullptr) {
    note_core(now, *core);
  }
  const double away = load.wall - load.ran;
  const double waited = std::min(now.waited - from.waited, away);
  const double rested = now.slept - from.slept + now.blocked - from.blocked;
  const double missing = std::max(0.0, away - rested);  // it would have run
  load.background = std::max(others_share_ * away, wait_is_others_ ? waited : 0.0);
  load.stolen = std::min(stolen_share_ * away, load.background);
  const double fought_for = std::min(missing, load.background);
  // In what it left to them others would keep the share that they have where both want the core.
  const double kept = (fought_for + kShareDoubt) / (load.ran + fought_for + 2 * kShareDoubt);
  load.contended = fought_for + kept * (load.background - fought_for);
  note_speed(load, missing - fought_for);
  load.speed = speed_;
  return load;
}

void WorkerInterval::note_core(const ThreadTimes& now, const CoreUse& core) {
  const double wall = now.at - stretch_begin_.at;
  if (stretch_began_ && wall < kStretch) {
    return;
  }
  if (stretch_began_) {
    const double away = wall - (now.ran - stretch_begin_.ran);
    const double others = std::max(0.0, away - (core.idle - stretch_core_.idle));
    const double waited = now.waited - stretch_begin_.waited;
    others_share_ = others < kTicksError && waited < kTicksError ? 0.0 : share(others, away);
    stolen_share_ = share(core.stolen - stretch_core_.stolen, away);
    wait_is_others_ = waited <= others + kTicksError;
  }
  stretch_begin_ = now;
  stretch_core_ = core;
  stretch_began_ = true;
}

// Without a disturbance a core gives what a thread asks for, unless a quota is used up.
void WorkerInterval::note_speed(const IntervalLoad& load, double throttled) {
  wall_ += load.wall;
  ran_ += load.ran;
  throttled_ += throttled;
  if (wall_ < kStretch) {
    return;
  }
  if (throttled_ > kThrottled * (ran_ + throttled_)) {
    speed_ = std::max(kLeastSpeed, ran_ / (ran_ + throttled_));
  } else {
    speed_ += (1 - speed_) * (1 - std::exp(-wall_ / kForget));
    speed_ = std::max(speed_, ran_ / wall_);
  }
  wall_ = ran_ = throttled_ = 0;
}

}  // namespace weft::lb
