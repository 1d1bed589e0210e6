#include "pictures/labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ondes3d {
namespace {

// A box of this size whose nearest point lies `away` from the mark, in the direction (x, y).
Area beside(Point mark, double away, Extent size, Point direction) {
  const double length = std::hypot(direction.x, direction.y);
  const Point near{mark.x + away * direction.x / length, mark.y + away * direction.y / length};
  const auto begin = [](double at, double extent, double side) {
    return side > 0 ? at : side < 0 ? at - extent : at - extent / 2;
  };
  return {{begin(near.x, size.width, direction.x), begin(near.y, size.height, direction.y)}, size.width, size.height};
}

constexpr std::array<Point, 8> kDirections{{{1, 0}, {-1, 0}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}, {0, -1}, {0, 1}}};
constexpr std::array<double, 4> kFarther{0, 9, 20, 34};

}  // namespace

bool LabelPlacer::is_free(const Area& box) const {
  return bounds_.holds(box) &&
         std::none_of(areas_.begin(), areas_.end(), [&](const Area& area) { return area.overlaps(box); }) &&
         std::none_of(segments_.begin(), segments_.end(), [&](const Segment& line) { return crosses(line, box); });
}

bool LabelPlacer::is_free(const Segment& leader) const {
  return std::none_of(areas_.begin(), areas_.end(), [&](const Area& area) { return crosses(leader, area); });
}

std::optional<Area> LabelPlacer::take_first(std::span<const Area> candidates) {
  for (const Area& box : candidates) {
    if (is_free(box)) {
      block(box);
      return box;
    }
  }
  return std::nullopt;
}

std::optional<LabelPlacer::Label> LabelPlacer::place_beside(Point mark, double reach, Extent size) {
  for (const double farther : kFarther) {
    for (const Point& direction : kDirections) {
      const Area box = beside(mark, reach + farther, size, direction);
      if (!is_free(box)) {
        continue;
      }
      if (farther == 0) {
        block(box);
        return Label{box, std::nullopt};
      }
      const double length = std::hypot(direction.x, direction.y);
      const auto at = [&](double away) {
        return Point{mark.x + away * direction.x / length, mark.y + away * direction.y / length};
      };
      // Begins and ends a little apart from the mark and the label.
      const Segment leader{at(reach + 0.5), at(reach + farther - 1)};
      if (is_free(leader)) {
        block(box);
        block(leader);
        return Label{box, leader};
      }
    }
  }
  return std::nullopt;
}

}  // namespace ondes3d
