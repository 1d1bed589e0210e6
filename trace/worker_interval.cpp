#include "trace/worker_interval.hpp"

#include <algorithm>
#include <cmath>

namespace weft::trace {
namespace {

std::int64_t units(double seconds, double unit, double most) {
  return static_cast<std::int64_t>(std::llround(std::clamp(seconds / unit, 0.0, most)));
}
constexpr double kNano = 1e-9;
constexpr double kMicro = 1e-6;
constexpr double kMostNano = 9e18;
constexpr double kMostMicro = 2147483647;  // a tag's

}  // namespace

Event event_of(const WorkerInterval& interval) {
  return {.kind = EventKind::interval,
          .peer = static_cast<std::uint32_t>(units(interval.speed, kMicro, kMostMicro)),
          .tag = static_cast<std::int32_t>(units(interval.stolen, kMicro, kMostMicro)),
          .comm = static_cast<std::uint32_t>(units(interval.contended, kMicro, kMostMicro)),
          .request = static_cast<std::uint32_t>(units(interval.ran, kMicro, kMostMicro)),
          .value = units(interval.wall, kNano, kMostNano),
          .more = units(interval.background, kNano, kMostNano)};
}

WorkerInterval interval_of(const Event& event) {
  return {.wall = static_cast<double>(event.value) * kNano,
          .ran = event.request * kMicro,
          .background = static_cast<double>(event.more) * kNano,
          .stolen = event.tag * kMicro,
          .contended = event.comm * kMicro,
          .speed = event.peer * kMicro};
}

}  // namespace weft::trace
