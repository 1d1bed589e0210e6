// Points and boxes on a page, in pixels of 1/96 inch, y downwards.
#pragma once

namespace ondes3d {

struct Point {
  double x = 0, y = 0;
};

struct Extent {
  double width = 0, height = 0;
};

struct Area {
  Point corner;  // the upper left one
  double width = 0, height = 0;

  [[nodiscard]] double right() const { return corner.x + width; }
  [[nodiscard]] double bottom() const { return corner.y + height; }
  [[nodiscard]] bool overlaps(const Area& other) const {
    return corner.x < other.right() && other.corner.x < right() && corner.y < other.bottom() &&
           other.corner.y < bottom();
  }
  [[nodiscard]] bool holds(const Area& other) const {
    return corner.x <= other.corner.x && other.right() <= right() && corner.y <= other.corner.y &&
           other.bottom() <= bottom();
  }
  [[nodiscard]] Area grown(double margin) const {
    return {{corner.x - margin, corner.y - margin}, width + 2 * margin, height + 2 * margin};
  }
};

struct Segment {
  Point from, to;
};

// True when a part of the segment lies inside.
[[nodiscard]] bool crosses(const Segment& segment, const Area& area);

}  // namespace ondes3d
