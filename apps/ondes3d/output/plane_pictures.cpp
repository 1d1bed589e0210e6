#include "output/plane_pictures.hpp"

#include <algorithm>
#include <cmath>

#include "output/axis.hpp"
#include "output/out_file.hpp"
#include "output/panel.hpp"

namespace ondes3d {
namespace {

std::string with_unit(double metres_per_second) { return format("%.3g cm/s", 100 * metres_per_second); }

// The value that only one sample in `rarer` exceeds: peaks at the source would wash out the rest.
double clip_level(const std::vector<PlaneResult::Snapshot>& snapshots, std::size_t rarer) {
  std::vector<double> sizes;
  for (const auto& snapshot : snapshots) {
    for (const double value : snapshot.up) {
      sizes.push_back(std::abs(value));
    }
  }
  const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() - 1 - sizes.size() / rarer);
  std::nth_element(sizes.begin(), at, sizes.end());
  return *at > 0 ? *at : 1;
}

}  // namespace

Canvas peak_velocity_picture(const Case& c, const PlaneResult& result) {
  const Panel panel(c.model.grid, result.plane, {80, 70}, 760);
  const double height = panel.height();
  Canvas canvas(1010, static_cast<int>(height) + 140);
  const double most = *std::max_element(result.peak.begin(), result.peak.end());
  const double scale = most > 0 ? most : 1;
  // The root spreads the weak end: peaks fall by orders of magnitude within the plane.
  panel.paint(canvas, result.peak, [&](double v) { return heat(std::sqrt(v / scale)); });
  const bool ground = result.plane.is_ground();
  canvas.text({80, 28},
              ground ? "Peak ground velocity, horizontal" : "Peak velocity " + where(c.model.grid, result.plane), 13);
  panel.across_axis(canvas);
  panel.up_axis(canvas, true);
  canvas.frame(panel.area(), kInk);
  if (ground) {
    panel.mark_stations(canvas, c);
  } else if (result.plane.axis != 2 && !c.geology) {
    panel.mark_layers(canvas, c);
  }
  panel.mark_hypocentre(canvas, c, 9);
  colour_bar(canvas, {{870, 70}, 22, height}, [](double share) { return heat(share); });
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    canvas.text({900, 74 + height * (1 - share)}, with_unit(scale * share * share), 9);
  }
  return canvas;
}

Canvas wave_field_picture(const Case& c, const PlaneResult& result) {
  constexpr double kWidth = 380, kGutter = 30, kLeft = 70, kTop = 80, kLabel = 30;
  const Grid& grid = c.model.grid;
  const int panels = static_cast<int>(result.snapshots.size());
  const int columns = std::min(3, panels);
  const int rows = (panels + columns - 1) / columns;
  const double height = Panel(grid, result.plane, {}, kWidth).height();
  Canvas canvas(static_cast<int>(kLeft + columns * (kWidth + kGutter) + 130),
                static_cast<int>(kTop + rows * (height + kLabel + kGutter) + 40));
  const double scale = clip_level(result.snapshots, 300);
  canvas.text({kLeft, 28}, "Velocity upwards " + where(grid, result.plane), 13);
  for (int n = 0; n < panels; ++n) {
    const int column = n % columns;
    const int row = n / columns;
    const auto& snapshot = result.snapshots[static_cast<std::size_t>(n)];
    const Panel panel(grid, result.plane,
                      {kLeft + column * (kWidth + kGutter), kTop + row * (height + kLabel + kGutter)}, kWidth);
    panel.paint(canvas, snapshot.up, [&](double v) { return polarity(v / scale); });
    canvas.frame(panel.area(), kInk);
    if (result.plane.axis != 2 && !c.geology) {
      panel.mark_layers(canvas, c);
    }
    panel.mark_hypocentre(canvas, c, 5);
    canvas.text({panel.corner().x + kWidth, panel.corner().y - 7}, format("%.1f s", snapshot.time), 10, Align::kRight);
    if (column == 0) {
      panel.up_axis(canvas, row == 0);
    }
    if (row == rows - 1) {
      panel.across_axis(canvas);
    }
  }
  const double bar = kLeft + columns * (kWidth + kGutter);
  colour_bar(canvas, {{bar, kTop}, 20, height}, [](double share) { return polarity(2 * share - 1); });
  for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    canvas.text({bar + 28, kTop + 4 + height * (1 - share) / 2}, with_unit(scale * share), 8);
  }
  return canvas;
}

}  // namespace ondes3d
