#include "output/panel.hpp"

#include <algorithm>

#include "output/out_file.hpp"

namespace ondes3d {
namespace {

constexpr std::array<const char*, 3> kNames{"East", "North", "Up"};

}  // namespace

Panel::Panel(const Grid& grid, const Plane& plane, Point corner, double width)
    : grid_(grid),
      plane_(plane),
      across_(plane.axis == 0 ? 1 : 0),
      up_(plane.axis == 2 ? 1 : 2),
      corner_(corner),
      width_(width) {}

Point Panel::place(const Vec3& position) const {
  const Vec3 at = grid_.in_cells(position);
  const auto share = [&](std::size_t axis) { return (at[axis] - plane_.lattice.first[axis]) / cells(axis); };
  return {corner_.x + width_ * share(across_), corner_.y + height() * (1 - share(up_))};
}

AxisRange Panel::km(std::size_t axis) const {
  const double low = plane_.lattice.origin(grid_)[axis];
  return {low / 1000, (low + cells(axis) * grid_.spacing) / 1000};
}

double Panel::sample(const std::vector<double>& values, double x, double y) const {
  const int columns = plane_.lattice.count[across_];
  const int rows = plane_.lattice.count[up_];
  const int i = std::clamp(static_cast<int>(x * cells(across_)), 0, columns - 2);
  const int j = std::clamp(static_cast<int>(y * cells(up_)), 0, rows - 2);
  const double a = x * cells(across_) - i;
  const double b = y * cells(up_) - j;
  const auto value = [&](int m, int n) {
    return values[static_cast<std::size_t>(n) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(m)];
  };
  return (1 - b) * ((1 - a) * value(i, j) + a * value(i + 1, j)) +
         b * ((1 - a) * value(i, j + 1) + a * value(i + 1, j + 1));
}

void Panel::across_axis(Canvas& canvas) const {
  const std::string name = std::string(kNames[across_]) + ", km";
  horizontal_axis(canvas, {{corner_.x, area().bottom()}, width_, 0}, km(across_), name);
}

void Panel::up_axis(Canvas& canvas, bool named) const {
  const std::string name = named ? std::string(kNames[up_]) + ", km" : "";
  vertical_axis(canvas, area(), km(up_), name);
}

void Panel::mark_hypocentre(Canvas& canvas, const Case& c, double size) const {
  const Point p = place(c.hypocentre);
  for (const Point d : {Point{1, 0}, Point{0, 1}, Point{0.7, 0.7}, Point{0.7, -0.7}}) {
    canvas.line({p.x - size * d.x, p.y - size * d.y}, {p.x + size * d.x, p.y + size * d.y}, kInk, 1.6);
  }
}

void Panel::mark_stations(Canvas& canvas, const Case& c) const {
  const bool names = c.stations.size() <= 40;
  for (const Station& station : c.stations) {
    const Point p = place(station.position);
    canvas.polyline({{p.x, p.y - 5}, {p.x + 5, p.y + 4}, {p.x - 5, p.y + 4}, {p.x, p.y - 5}}, kInk, 1.4);
    // A borehole below another station keeps its name to itself.
    if (names && station.position[2] == 0) {
      const bool room = p.x + 9 + text_width(station.name.data(), 9) < corner_.x + width_;
      canvas.text({room ? p.x + 9 : p.x - 9, p.y + 5}, station.name.data(), 9, room ? Align::kLeft : Align::kRight);
    }
  }
}

void Panel::mark_layers(Canvas& canvas, const Case& c) const {
  for (const Layer& layer : c.model.layers) {
    const double y = place({0, 0, layer.roof}).y;
    if (y > corner_.y + 1 && y < corner_.y + height() - 1) {
      canvas.line({corner_.x, y}, {corner_.x + width_, y}, {0.6, 0.61, 0.64}, 0.8);
    }
  }
}

std::string where(const Grid& grid, const Plane& plane) {
  if (plane.is_ground()) {
    return "on the ground";
  }
  const auto axis = static_cast<std::size_t>(plane.axis);
  return format("in the plane %s = %.4g km", kNames[axis], plane.lattice.origin(grid)[axis] / 1000);
}

}  // namespace ondes3d
