// How colours stand for velocities: the part of a colour map, its end, what lies beyond, round numbers beside it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/plane.hpp"
#include "pictures/colour.hpp"
#include "pictures/ticks.hpp"

namespace ondes3d {

// A unit in which numbers up to `largest` (m/s) are easily read.
struct VelocityUnit {
  double per_metre = 100;  // units in 1 m/s
  const char* name = "cm/s";
};
[[nodiscard]] VelocityUnit velocity_unit(double largest);

class ColourScale {
 public:
  // Peaks from 0 to `largest` (m/s). The root spreads the weak end, as peaks fall by orders of magnitude in a plane.
  [[nodiscard]] static ColourScale of_peaks(double largest);
  // Velocities of both signs, linear. It ends where one value in 300 lies beyond: the peaks at the source would wash
  // out all else.
  [[nodiscard]] static ColourScale of_fields(std::span<const PlaneResult::Snapshot> snapshots);

  // The pixel of a velocity in m/s.
  [[nodiscard]] std::uint32_t pixel(double velocity) const { return map_->pixel(share(velocity)); }
  // Where it lies on the bar, 0 to 1; outside for what lies beyond the scale.
  [[nodiscard]] double share(double velocity) const;
  [[nodiscard]] const ColourMap& map() const { return *map_; }

  struct Tick {
    double share = 0;
    std::string label;
  };
  // The ends and round numbers between them, in the unit, from low to high; at least `apart` (of 1) between two.
  [[nodiscard]] std::vector<Tick> ticks(double apart) const;
  [[nodiscard]] const VelocityUnit& unit() const { return unit_; }
  // The end of the scale, a round number of units, as m/s.
  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] bool has_lower_values() const { return lowest_ < -limit_; }
  [[nodiscard]] bool has_higher_values() const { return highest_ > limit_; }
  // What the scale is, in a sentence: map, law, end, what lies beyond.
  [[nodiscard]] std::string description() const;

 private:
  ColourScale(const ColourMap& map, bool is_root, double limit, AxisRange extremes);

  const ColourMap* map_;
  bool is_root_;
  VelocityUnit unit_;
  double limit_;
  double lowest_, highest_;
};

}  // namespace ondes3d
