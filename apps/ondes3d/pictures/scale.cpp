#include "pictures/scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "output/out_file.hpp"

namespace ondes3d {
namespace {

constexpr std::size_t kRarer = 300;

// The end of a scale that shows velocities up to `most`, round in the unit in which it will be read.
double round_limit(double most) {
  if (!(most > 0)) {
    return 0.01;  // nothing moves: 1 cm/s
  }
  const double per_metre = velocity_unit(most).per_metre;
  return round_up(most * per_metre) / per_metre;
}

// The size that only one value in kRarer exceeds.
double clip_level(std::span<const PlaneResult::Snapshot> snapshots) {
  std::vector<float> sizes;
  for (const auto& snapshot : snapshots) {
    for (const float value : snapshot.up) {
      sizes.push_back(std::abs(value));
    }
  }
  if (sizes.empty()) {
    return 0;
  }
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 1 - sizes.size() / kRarer);
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at;
}

}  // namespace

VelocityUnit velocity_unit(double largest) {
  for (const VelocityUnit& unit :
       {VelocityUnit{100, "cm/s"}, VelocityUnit{1e3, "mm/s"}, VelocityUnit{1e6, "\u00b5m/s"}}) {
    if (largest * unit.per_metre >= 1) {
      return unit;
    }
  }
  return largest > 0 ? VelocityUnit{1e9, "nm/s"} : VelocityUnit{};
}

ColourScale::ColourScale(const ColourMap& map, bool is_root, double limit, AxisRange extremes)
    : map_(&map),
      is_root_(is_root),
      unit_(velocity_unit(limit)),
      limit_(limit),
      lowest_(extremes.low),
      highest_(extremes.high) {}

ColourScale ColourScale::of_peaks(double largest) { return {lajolla(), true, round_limit(largest), {0, largest}}; }

ColourScale ColourScale::of_fields(std::span<const PlaneResult::Snapshot> snapshots) {
  AxisRange extremes{0, 0};
  for (const auto& snapshot : snapshots) {
    for (const float value : snapshot.up) {
      extremes.low = std::min<double>(extremes.low, value);
      extremes.high = std::max<double>(extremes.high, value);
    }
  }
  const double level = clip_level(snapshots);
  // Where almost nothing moves the largest value is all that there is to see.
  return {vik(), false, round_limit(level > 0 ? level : std::max(-extremes.low, extremes.high)), extremes};
}

double ColourScale::share(double velocity) const {
  return is_root_ ? std::sqrt(std::max(0.0, velocity) / limit_) : (velocity / limit_ + 1) / 2;
}

std::vector<ColourScale::Tick> ColourScale::ticks(double apart) const {
  const double end = limit_ * unit_.per_metre;
  std::vector<Tick> list;
  if (!is_root_) {
    const Ticks even = symmetric_ticks(end, std::clamp(static_cast<int>(1 / apart), 3, 9));
    for (std::size_t n = 0; n < even.values.size(); ++n) {
      list.push_back({(even.values[n] / end + 1) / 2, even.label(n)});
    }
    return list;
  }
  // From the end downwards 5, 2 and 1 times powers of ten, as far as there is room above 0.
  list.push_back({1, number_text(end)});
  const int power = static_cast<int>(std::floor(std::log10(end)));
  for (int exponent = power; exponent > power - 4; --exponent) {
    for (const double factor : {5.0, 2.0, 1.0}) {
      const double value = factor * std::pow(10.0, exponent);
      const double at = std::sqrt(value / end);
      if (at < list.back().share - apart + 1e-12 && at >= apart) {
        list.push_back({at, number_text(value, std::max(0, -exponent))});
      }
    }
  }
  list.push_back({0, "0"});
  std::reverse(list.begin(), list.end());
  return list;
}

std::string ColourScale::description() const {
  const auto shown = [&](double velocity) {
    return number_text(std::strtod(format("%.3g", velocity * unit_.per_metre).c_str(), nullptr));
  };
  const std::string map = std::string("Colours: ") + map_->name() + " (Crameri 2018)";
  if (is_root_) {
    return map + ", square-root scale. Largest: " + shown(highest_) + " " + unit_.name + ".";
  }
  const std::string end = shown(limit_) + " " + unit_.name;
  const std::string range =
      " Smallest and largest: " + shown(lowest_) + ", " + shown(highest_) + " " + unit_.name + ".";
  if (!has_lower_values() && !has_higher_values()) {
    return map + ", linear scale." + range;
  }
  return map + ", linear scale; what lies beyond \u00b1" + end + " has the colours of its ends." + range;
}

}  // namespace ondes3d
