#include "lb/interval_meter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::lb {
namespace {

// In seconds. Shorter samples are too inaccurate: the system counts in ticks of 10 ms, and quotas have periods of 100
// ms. Times of less than three ticks count as none.
constexpr double kLeastSample = 0.2;
constexpr double kTicksError = 0.03;
// Contention shorter than this says little about how two threads share a core.
constexpr double kShareDoubt = 1e-3;
// A smaller part of time without the core comes from waking up and from interrupts.
constexpr double kThrottled = 0.02;
constexpr double kLeastSpeed = 0.02;
// Time constant in seconds with which the effect of an earlier quota decays.
constexpr double kForget = 10;

double share(double part, double whole) { return whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0; }

}  // namespace

void IntervalMeter::begin(const ThreadTimes& now, const CoreUse* core) {
  before_ = now;
  if (core != nullptr) {
    update_core_shares(now, *core);
  }
}

trace::WorkerInterval IntervalMeter::next(const ThreadTimes& now, const CoreUse* core, bool bound) {
  const ThreadTimes from = std::exchange(before_, now);
  trace::WorkerInterval interval;
  interval.wall = now.at - from.at;
  interval.ran = std::min(now.ran - from.ran, interval.wall);
  if (!bound) {
    return interval;
  }
  if (core != nullptr) {
    update_core_shares(now, *core);
  }
  const double away = interval.wall - interval.ran;
  const double waited = std::min(now.waited - from.waited, away);
  const double rested = now.slept - from.slept + now.blocked - from.blocked;
  const double missing = std::max(0.0, away - rested);  // the thread wanted to run
  interval.background = std::max(others_share_ * away, wait_is_others_ ? waited : 0.0);
  interval.stolen = std::min(stolen_share_ * away, interval.background);
  const double contested = std::min(missing, interval.background);
  // `kept` is the share of the core that other threads get while the worker wants it too. If the worker always had
  // work, they would also get this share of the time in which it now rests and they have the core alone.
  const double kept = (contested + kShareDoubt) / (interval.ran + contested + 2 * kShareDoubt);
  interval.contended = contested + kept * (interval.background - contested);
  update_speed(interval, missing - contested);
  interval.speed = speed_;
  return interval;
}

void IntervalMeter::update_core_shares(const ThreadTimes& now, const CoreUse& core) {
  const double wall = now.at - sample_begin_.at;
  if (sample_has_begun_ && wall < kLeastSample) {
    return;
  }
  if (sample_has_begun_) {
    const double away = wall - (now.ran - sample_begin_.ran);
    const double others = std::max(0.0, away - (core.idle - sample_core_.idle));
    const double waited = now.waited - sample_begin_.waited;
    others_share_ = others < kTicksError && waited < kTicksError ? 0.0 : share(others, away);
    stolen_share_ = share(core.stolen - sample_core_.stolen, away);
    wait_is_others_ = waited <= others + kTicksError;
  }
  sample_begin_ = now;
  sample_core_ = core;
  sample_has_begun_ = true;
}

// `throttled`: seconds in which the thread wanted to run, had not got its core, and no other thread had it either. That
// happens when a quota is used up. The speed is then the part of the wanted time in which the thread ran.
void IntervalMeter::update_speed(const trace::WorkerInterval& interval, double throttled) {
  wall_ += interval.wall;
  ran_ += interval.ran;
  throttled_ += throttled;
  if (wall_ < kLeastSample) {
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
