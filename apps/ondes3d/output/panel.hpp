// A plane of the grid drawn to scale on a canvas, and what is marked on it.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "output/axis.hpp"
#include "output/canvas.hpp"
#include "output/plane.hpp"

namespace ondes3d {

class Panel {
 public:
  // The upper left corner and the width in pixels. `grid` and `plane` must outlive the panel.
  Panel(const Grid& grid, const Plane& plane, Point corner, double width);

  [[nodiscard]] Point corner() const { return corner_; }
  [[nodiscard]] Area area() const { return {corner_, width_, height()}; }
  [[nodiscard]] double height() const { return width_ * cells(up_) / cells(across_); }
  // Where a position lies, looked at along the plane's axis.
  [[nodiscard]] Point place(const Vec3& position) const;

  // `values` as the plane's lattice orders them, turned into colours.
  template <typename Colours>
  void paint(Canvas& canvas, const std::vector<double>& values, const Colours& colours) const {
    for (int y = 0; y < static_cast<int>(height()); ++y) {
      for (int x = 0; x < static_cast<int>(width_); ++x) {
        canvas.set(static_cast<int>(corner_.x) + x, static_cast<int>(corner_.y) + y,
                   colours(sample(values, (x + 0.5) / width_, 1 - (y + 0.5) / height())));
      }
    }
  }
  void across_axis(Canvas& canvas) const;
  // `named`: with the axis' name above it.
  void up_axis(Canvas& canvas, bool named) const;

  void mark_hypocentre(Canvas& canvas, const Case& c, double size) const;
  void mark_stations(Canvas& canvas, const Case& c) const;
  void mark_layers(Canvas& canvas, const Case& c) const;

 private:
  [[nodiscard]] double cells(std::size_t axis) const { return plane_.lattice.count[axis] - 1; }
  [[nodiscard]] AxisRange km(std::size_t axis) const;
  // Bilinear; x and y from 0 to 1.
  [[nodiscard]] double sample(const std::vector<double>& values, double x, double y) const;

  const Grid& grid_;
  const Plane& plane_;
  std::size_t across_;  // axis to the right
  std::size_t up_;      // axis upwards
  Point corner_;
  double width_;
};

// Where the plane lies, in words: "on the ground", "along North = 3.2 km".
[[nodiscard]] std::string where(const Grid& grid, const Plane& plane);

}  // namespace ondes3d
