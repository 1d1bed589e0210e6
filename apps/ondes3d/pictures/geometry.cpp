#include "pictures/geometry.hpp"

#include <algorithm>
#include <array>

namespace ondes3d {

// Liang & Barsky 1984: the part of the segment that each side leaves, as a range of its parameter.
bool crosses(const Segment& segment, const Area& area) {
  const double dx = segment.to.x - segment.from.x;
  const double dy = segment.to.y - segment.from.y;
  double begin = 0;
  double end = 1;
  struct Side {
    double along, room;
  };
  for (const auto& [along, room] : std::array<Side, 4>{{{-dx, segment.from.x - area.corner.x},
                                                        {dx, area.right() - segment.from.x},
                                                        {-dy, segment.from.y - area.corner.y},
                                                        {dy, area.bottom() - segment.from.y}}}) {
    if (along == 0 && room < 0) {
      return false;
    }
    if (along < 0) {
      begin = std::max(begin, room / along);
    } else if (along > 0) {
      end = std::min(end, room / along);
    }
  }
  return begin <= end;
}

}  // namespace ondes3d
