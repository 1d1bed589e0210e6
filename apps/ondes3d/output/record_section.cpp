#include "output/record_section.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "output/axis.hpp"
#include "physics/ray.hpp"

namespace ondes3d {
namespace {

constexpr double kLeft = 210, kTop = 70, kPanel = 420, kSpace = 24, kRow = 46, kRight = 100, kBottom = 60;
constexpr double kPanelsEnd = kLeft + 3 * kPanel + 2 * kSpace;
constexpr Colour kMark{0.55, 0.56, 0.60};
constexpr std::size_t kMostRows = 24;
constexpr std::array<Colour, 3> kColours{{{0.12, 0.35, 0.62}, {0.75, 0.28, 0.16}, {0.14, 0.45, 0.30}}};
constexpr std::array<const char*, 3> kComponents{"East", "North", "Up"};

double distance(const Case& c, std::size_t station) {
  const Vec3& p = c.stations[station].position;
  return std::hypot(p[0] - c.hypocentre[0], p[1] - c.hypocentre[1]);
}

// Stations from near to far, thinned out evenly.
std::vector<std::size_t> choose(const Case& c) {
  std::vector<std::size_t> order(c.stations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(c, a) < distance(c, b); });
  std::vector<std::size_t> chosen;
  const std::size_t rows = std::min(order.size(), kMostRows);
  for (std::size_t n = 0; n < rows; ++n) {
    chosen.push_back(order[n * order.size() / rows]);
  }
  return chosen;
}

double peak_of(const Trace& trace) {
  double peak = 0;
  for (const auto& row : trace) {
    for (const double v : row) {
      peak = std::max(peak, std::abs(v));
    }
  }
  return peak;
}

// `begin` is the left end of the trace's zero line; `peak` fills almost half of the row.
void draw_trace(Canvas& canvas, const Trace& trace, std::size_t component, Point begin, double peak) {
  std::vector<Point> points;
  const double step = kPanel / static_cast<double>(trace.size());
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const double height = peak > 0 ? trace[n][component] / peak : 0;
    points.push_back({begin.x + step * static_cast<double>(n + 1), begin.y - 0.48 * kRow * height});
  }
  canvas.polyline(points, kColours[component], 1.3);
}

// Where the direct waves from the hypocentre should arrive: the rupture's first, not its strongest.
void mark_arrivals(Canvas& canvas, const Case& c, std::size_t station, Point begin) {
  if (c.model.layers.empty()) {
    return;
  }
  const double duration = c.model.grid.steps * c.model.grid.timestep;
  for (const auto& [wave, name] : {std::pair{Wave::kP, "P"}, std::pair{Wave::kS, "S"}}) {
    const double time = direct_time(c.model.layers, c.hypocentre, c.stations[station].position, wave);
    if (time < duration) {
      const double x = begin.x + kPanel * time / duration;
      canvas.line({x, begin.y - 14}, {x, begin.y + 14}, kMark, 1);
      canvas.text({x - 4, begin.y - 6}, name, 7, Align::kRight, kMark);
    }
  }
}

// The station's name on the left of its row, the peak on the right.
void label_row(Canvas& canvas, const Case& c, std::size_t station, double middle, double peak) {
  std::array<char, 64> text{};
  canvas.text({kLeft - 12, middle}, c.stations[station].name.data(), 10, Align::kRight);
  const double depth = -c.stations[station].position[2];
  std::snprintf(text.data(), text.size(), depth > 0 ? "%.1f km, %.0f m deep" : "%.1f km", distance(c, station) / 1000,
                depth);
  canvas.text({kLeft - 12, middle + 15}, text.data(), 8, Align::kRight);
  std::snprintf(text.data(), text.size(), "%.3g cm/s", 100 * peak);
  canvas.text({kPanelsEnd + 8, middle + 4}, text.data(), 8);
}

}  // namespace

Canvas record_section(const Case& c, const std::vector<Trace>& traces) {
  const auto rows = choose(c);
  const double height = kRow * static_cast<double>(rows.size());
  Canvas canvas(static_cast<int>(kPanelsEnd + kRight), static_cast<int>(kTop + height + kBottom));
  canvas.text({kLeft, 26}, "Ground velocity at the stations, by distance from the epicentre", 13);
  for (std::size_t d = 0; d < 3; ++d) {
    const double left = kLeft + static_cast<double>(d) * (kPanel + kSpace);
    canvas.text({left + kPanel / 2, kTop - 12}, kComponents[d], 11, Align::kCentre, kColours[d]);
    const Area panel{{left, kTop}, kPanel, height};
    horizontal_axis(canvas, panel, {0, c.model.grid.steps * c.model.grid.timestep}, "time, s");
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const Point begin{left, kTop + kRow * (static_cast<double>(n) + 0.5)};
      mark_arrivals(canvas, c, rows[n], begin);
      draw_trace(canvas, traces[rows[n]], d, begin, peak_of(traces[rows[n]]));
      if (d == 2) {
        label_row(canvas, c, rows[n], begin.y, peak_of(traces[rows[n]]));
      }
    }
    canvas.frame(panel, kInk);
  }
  return canvas;
}

}  // namespace ondes3d
