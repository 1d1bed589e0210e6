#include "runtime/lbstep/image_schedule.hpp"

#include <algorithm>

namespace weft::runtime {
inline namespace lbstep {
namespace {

// At most this many calls are skipped, in case calls suddenly take longer.
constexpr double kMostCalls = 64;

}  // namespace

bool ImageSchedule::is_due(double now, bool balances) {
  was_due_ = now - since_ >= interval_ && !(balances && was_due_);
  return was_due_;
}

void ImageSchedule::written(double now) {
  since_ = now;
  index_ = 1 - index_;
}

void ImageSchedule::postpone(double now) {
  constexpr double kMostSeconds = 1;
  constexpr double kPart = 1.0 / 32;  // of the interval: all ranks come to a step for each attempt
  since_ = std::max(since_, now - interval_ + std::min(kPart * interval_, kMostSeconds));
}

std::uint64_t ImageSchedule::next_call(std::uint64_t call, double now, double most) {
  const double left = since_ + interval_ - now;
  double calls = 1;
  if (last_ && call > last_->call && now > last_->time && left > 0) {
    const double seconds_each = (now - last_->time) / static_cast<double>(call - last_->call);
    calls = std::clamp(std::min(left / 2, most) / seconds_each, 1.0, kMostCalls);
  }
  last_ = Step{call, now};
  return call + static_cast<std::uint64_t>(calls);
}

}  // namespace lbstep
}  // namespace weft::runtime
