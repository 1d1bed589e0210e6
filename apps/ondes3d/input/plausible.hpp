// Ranges of what a case may hold: wide enough for any rock and slip, too narrow for other units or another column.
#pragma once

namespace ondes3d {

struct Range {
  double least;
  double most;
  [[nodiscard]] bool holds(double value) const { return value >= least && value <= most; }
};

// The Earth's fastest P waves travel 13,700 m/s (PREM: Dziewonski & Anderson 1981), those in dry soil above 100 m/s.
inline constexpr Range kPSpeeds{50, 20000};  // m/s
// Snow to the inner core; PREM ends at 13,089.
inline constexpr Range kDensities{100, 25000};  // kg/m3
// Quality factors; not positive: no loss.
inline constexpr Range kQualities{-1e6, 1e6};
// Of anything below or above the ground: the Earth's radius and somewhat more.
inline constexpr Range kDepths{-6400, 6400};  // km
// One full turn in both directions; the plane of a fault falls by at most 90 degrees, to either side.
inline constexpr Range kAzimuths{-360, 360};  // degrees
inline constexpr Range kDips{-90, 90};        // degrees
// The largest earthquake known, Chile 1960, released 2e23 N m in all.
inline constexpr Range kMomentRates{-1e25, 1e25};  // N m/s

}  // namespace ondes3d
