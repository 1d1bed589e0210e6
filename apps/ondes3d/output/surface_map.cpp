#include "output/surface_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "output/axis.hpp"

namespace ondes3d {
namespace {

// The physical part of a surface map, and where its panel lies on the canvas.
struct Panel {
  const Grid& grid;
  Point corner;
  double width = 0;

  [[nodiscard]] double cells(std::size_t axis) const { return grid.cells[axis] - 1 - 2 * grid.cpml; }
  [[nodiscard]] double height() const { return width * cells(1) / cells(0); }
  [[nodiscard]] Point place(const Vec3& position) const {
    const Vec3 at = grid.in_cells(position);
    return {corner.x + width * (at[0] - grid.cpml) / cells(0),
            corner.y + height() * (1 - (at[1] - grid.cpml) / cells(1))};
  }
  [[nodiscard]] Range km(std::size_t axis) const {
    const double low = grid.corner[axis] + grid.cpml * grid.spacing;
    return {low / 1000, (low + cells(axis) * grid.spacing) / 1000};
  }
};

// Bilinear between cells; x and y in cells of the whole grid.
double sample(const Grid& grid, const SurfaceMap& map, double x, double y) {
  const int i = std::clamp(static_cast<int>(x), 0, grid.cells[0] - 2);
  const int j = std::clamp(static_cast<int>(y), 0, grid.cells[1] - 2);
  const double a = x - i;
  const double b = y - j;
  const auto value = [&](int m, int n) {
    return static_cast<double>(
        map[static_cast<std::size_t>(n) * static_cast<std::size_t>(grid.cells[0]) + static_cast<std::size_t>(m)]);
  };
  return (1 - b) * ((1 - a) * value(i, j) + a * value(i + 1, j)) +
         b * ((1 - a) * value(i, j + 1) + a * value(i + 1, j + 1));
}

template <typename Colours>
void paint(Canvas& canvas, const Panel& panel, const SurfaceMap& map, const Colours& colours) {
  const int width = static_cast<int>(panel.width);
  const int height = static_cast<int>(panel.height());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double i = panel.grid.cpml + panel.cells(0) * (x + 0.5) / width;
      const double j = panel.grid.cpml + panel.cells(1) * (1 - (y + 0.5) / height);
      canvas.set(static_cast<int>(panel.corner.x) + x, static_cast<int>(panel.corner.y) + y,
                 colours(sample(panel.grid, map, i, j)));
    }
  }
}

void mark_epicentre(Canvas& canvas, const Panel& panel, const Case& c, double size) {
  const Point p = panel.place(c.hypocentre);
  for (const Point d : {Point{1, 0}, Point{0, 1}, Point{0.7, 0.7}, Point{0.7, -0.7}}) {
    canvas.line({p.x - size * d.x, p.y - size * d.y}, {p.x + size * d.x, p.y + size * d.y}, kInk, 1.6);
  }
}

void mark_stations(Canvas& canvas, const Panel& panel, const Case& c) {
  const bool names = c.stations.size() <= 40;
  for (const Station& station : c.stations) {
    const Point p = panel.place(station.position);
    canvas.polyline({{p.x, p.y - 5}, {p.x + 5, p.y + 4}, {p.x - 5, p.y + 4}, {p.x, p.y - 5}}, kInk, 1.4);
    // A borehole below another station keeps its name to itself.
    if (names && station.position[2] == 0) {
      const bool room = p.x + 9 + text_width(station.name.data(), 9) < panel.corner.x + panel.width;
      canvas.text({room ? p.x + 9 : p.x - 9, p.y + 5}, station.name.data(), 9, room ? Align::kLeft : Align::kRight);
    }
  }
}

// The value that only one cell in `rarer` exceeds: peaks at the source would wash out the rest.
double clip_level(const std::vector<Picture>& pictures, std::size_t rarer) {
  std::vector<float> sizes;
  for (const Picture& picture : pictures) {
    for (const float value : picture.map) {
      sizes.push_back(std::abs(value));
    }
  }
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 1 - sizes.size() / rarer);
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at > 0 ? static_cast<double>(*at) : 1;
}

std::string with_unit(double metres_per_second) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g cm/s", 100 * metres_per_second);
  return text.data();
}

}  // namespace

Canvas peak_velocity_map(const Case& c, const Picture& peak) {
  Panel panel{c.model.grid, {80, 70}, 760};
  const double height = panel.height();
  Canvas canvas(1010, static_cast<int>(height) + 140);
  const double most = static_cast<double>(*std::max_element(peak.map.begin(), peak.map.end()));
  const double scale = most > 0 ? most : 1;
  // The root spreads the weak end: peaks fall by orders of magnitude within the map.
  paint(canvas, panel, peak.map, [&](double v) { return heat(std::sqrt(v / scale)); });
  canvas.text({80, 28}, "Peak ground velocity, horizontal", 13);
  horizontal_axis(canvas, {80, 70 + height}, 760, 0, panel.km(0), "East, km");
  vertical_axis(canvas, panel.corner, height, panel.km(1), "North, km");
  canvas.frame(panel.corner, panel.width, height, kInk);
  mark_stations(canvas, panel, c);
  mark_epicentre(canvas, panel, c, 9);
  colour_bar(canvas, {870, 70}, 22, height, [](double share) { return heat(share); });
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    canvas.text({900, 74 + height * (1 - share)}, with_unit(scale * share * share), 9);
  }
  return canvas;
}

Canvas wave_field(const Case& c, const std::vector<Picture>& snapshots) {
  constexpr double kWidth = 380, kGutter = 30, kLeft = 70, kTop = 80, kLabel = 30;
  const int columns = std::min<int>(3, static_cast<int>(snapshots.size()));
  const int rows = (static_cast<int>(snapshots.size()) + columns - 1) / columns;
  const double height = Panel{c.model.grid, {}, kWidth}.height();
  Canvas canvas(static_cast<int>(kLeft + columns * (kWidth + kGutter) + 130),
                static_cast<int>(kTop + rows * (height + kLabel + kGutter) + 40));
  const double scale = clip_level(snapshots, 300);
  canvas.text({kLeft, 28}, "Ground velocity upwards", 13);
  for (std::size_t n = 0; n < snapshots.size(); ++n) {
    const int column = static_cast<int>(n) % columns;
    const int row = static_cast<int>(n) / columns;
    Panel panel{c.model.grid, {kLeft + column * (kWidth + kGutter), kTop + row * (height + kLabel + kGutter)}, kWidth};
    paint(canvas, panel, snapshots[n].map, [&](double v) { return polarity(v / scale); });
    canvas.frame(panel.corner, kWidth, height, kInk);
    mark_epicentre(canvas, panel, c, 5);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", snapshots[n].time);
    canvas.text({panel.corner.x + kWidth, panel.corner.y - 7}, text.data(), 10, Align::kRight);
    if (column == 0) {
      vertical_axis(canvas, panel.corner, height, panel.km(1), row == 0 ? "North, km" : "");
    }
    if (row == rows - 1) {
      horizontal_axis(canvas, {panel.corner.x, panel.corner.y + height}, kWidth, 0, panel.km(0), "East, km");
    }
  }
  const double bar = kLeft + columns * (kWidth + kGutter);
  colour_bar(canvas, {bar, kTop}, 20, height, [](double share) { return polarity(2 * share - 1); });
  for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    canvas.text({bar + 28, kTop + 4 + height * (1 - share) / 2}, with_unit(scale * share), 8);
  }
  return canvas;
}

}  // namespace ondes3d
