// A plane of the grid drawn to scale on a page, and what is marked on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "output/scene.hpp"
#include "pictures/axes.hpp"
#include "pictures/sheet.hpp"

namespace ondes3d {

class Panel {
 public:
  // As large as fits into `room`, from its upper left corner; flat planes are stretched to a height that can be seen.
  // `scene` and `plane` must outlive the panel.
  Panel(const Scene& scene, const Plane& plane, const Area& room);

  [[nodiscard]] const Area& area() const { return area_; }
  // Where a position lies, looked at along the plane's axis.
  [[nodiscard]] Point place(const Vec3& position) const;

  // `values` as the plane's lattice orders them, turned into pixels: colours(value) is 0xRRGGBB.
  template <typename Value, typename Colours>
  void paint(Sheet& sheet, const std::vector<Value>& values, const Colours& colours) const {
    const int columns = dots(area_.width, sheet);
    const int rows = dots(area_.height, sheet);
    std::vector<std::uint32_t> pixels;
    pixels.reserve(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
      const Nodes up = nodes(1 - (row + 0.5) / rows, up_);
      for (int column = 0; column < columns; ++column) {
        pixels.push_back(colours(sample(values, nodes((column + 0.5) / columns, across_), up)));
      }
    }
    sheet.raster(area_, pixels, columns);
  }
  void across_axis(Sheet& sheet, bool named) const;
  void up_axis(Sheet& sheet, bool named) const;

  void mark_hypocentre(Sheet& sheet, double size) const;
  // Triangles, and names beside them where there is room. Returns how many names found none; all, above 40 stations.
  [[nodiscard]] std::size_t mark_stations(Sheet& sheet) const;
  // The roofs of the layers, in vertical planes.
  void mark_layers(Sheet& sheet) const;

 private:
  // Two neighbours along an axis and the weight of the second.
  struct Nodes {
    std::size_t first = 0, second = 0;
    double share = 0;
  };
  [[nodiscard]] static int dots(double length, const Sheet& sheet);
  [[nodiscard]] int count(std::size_t axis) const { return plane_.lattice.count[axis]; }
  [[nodiscard]] double cells(std::size_t axis) const { return std::max(1, count(axis) - 1); }
  [[nodiscard]] AxisRange km(std::size_t axis) const;
  [[nodiscard]] Nodes nodes(double share, std::size_t axis) const;
  // Bilinear.
  template <typename Value>
  [[nodiscard]] double sample(const std::vector<Value>& values, const Nodes& across, const Nodes& up) const {
    const auto row = [&](std::size_t n) {
      const auto begin = n * static_cast<std::size_t>(count(across_));
      return (1 - across.share) * static_cast<double>(values[begin + across.first]) +
             across.share * static_cast<double>(values[begin + across.second]);
    };
    return (1 - up.share) * row(up.first) + up.share * row(up.second);
  }

  const Scene& scene_;
  const Plane& plane_;
  std::size_t across_;  // axis to the right
  std::size_t up_;      // axis upwards
  Area area_;
};

// Where the plane lies, in words: "on the ground", "in the plane North = 3.2 km".
[[nodiscard]] std::string where(const Grid& grid, const Plane& plane);

}  // namespace ondes3d
