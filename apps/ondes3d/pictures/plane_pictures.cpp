#include "pictures/plane_pictures.hpp"

#include <algorithm>
#include <cmath>

#include "output/out_file.hpp"
#include "pictures/axes.hpp"
#include "pictures/panel.hpp"

namespace ondes3d {
namespace {

constexpr double kLeft = 80, kTop = kTitleHeight + 8, kBelow = 60;  // room for title and axes
constexpr double kBarGap = 24, kBar = 20;

double page_width(double right) { return right + kBarGap + kBar + kBarWords; }

// The bar beside panels whose upper right and lower right corners these are, as high as they are.
void bar_beside(Sheet& sheet, Point upper, double bottom, const ColourScale& scale, const char* name) {
  const auto& [right, top] = upper;
  const double above = scale.has_higher_values() ? kTriangle * kBar : 0;
  const double below = scale.has_lower_values() ? kTriangle * kBar : 0;
  const double height = std::max(bottom - top - above - below, 70.0);
  colour_bar(sheet, {{right + kBarGap, top + above}, kBar, height}, scale, name);
}

void draw_peaks(Sheet& sheet, const Scene& scene, const PlaneResult& result, const Panel& panel) {
  const ColourScale scale = ColourScale::of_peaks(*std::max_element(result.peak.begin(), result.peak.end()));
  panel.paint(sheet, result.peak, [&](double v) { return scale.pixel(v); });
  sheet.frame(panel.area(), kInk);
  panel.across_axis(sheet, true);
  panel.up_axis(sheet, true);
  std::string note = scale.description();
  if (result.plane.is_ground()) {
    if (const std::size_t nameless = panel.mark_stations(sheet); nameless > 0) {
      note += format(" %zu stations without a name: no room.", nameless);
    }
  } else {
    panel.mark_layers(sheet);
  }
  panel.mark_hypocentre(sheet, 10);
  title(sheet, kLeft,
        result.plane.is_ground() ? "Peak horizontal velocity on the ground"
                                 : "Peak velocity " + where(scene.grid, result.plane),
        note);
  bar_beside(sheet, {panel.area().right(), panel.area().corner.y}, panel.area().bottom(), scale, "Peak velocity");
}

// Panels in rows, each with its time above it.
class Gallery {
 public:
  Gallery(const Scene& scene, const Plane& plane, std::size_t panels)
      : scene_(scene),
        plane_(plane),
        columns_(std::min<std::size_t>(panels, 3)),
        rows_((panels + columns_ - 1) / columns_),
        size_{Panel(scene, plane, {{0, 0}, 330, 500}).area()} {}

  [[nodiscard]] Panel panel(std::size_t n) const {
    const auto column = static_cast<double>(n % columns_);
    const std::size_t rows_above = n / columns_;
    const double y = kTop + kLabel + static_cast<double>(rows_above) * (size_.height + kGutter + kLabel);
    return {scene_, plane_, {{kLeft + column * (size_.width + kGutter), y}, size_.width, size_.height}};
  }
  [[nodiscard]] bool is_left(std::size_t n) const { return n % columns_ == 0; }
  [[nodiscard]] bool is_lowest(std::size_t n, std::size_t panels) const { return n + columns_ >= panels; }
  [[nodiscard]] double right() const { return panel(columns_ - 1).area().right(); }
  [[nodiscard]] double bottom() const { return panel((rows_ - 1) * columns_).area().bottom(); }

 private:
  static constexpr double kGutter = 34, kLabel = 16;
  const Scene& scene_;
  const Plane& plane_;
  std::size_t columns_, rows_;
  Area size_;
};

// With digits that tell the panels of a short run apart.
std::string time_text(const Grid& grid, double time) {
  const double duration = grid.steps * grid.timestep;
  const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(duration))), 1, 6);
  return format("%.*f s", decimals, time);
}

void draw_moment(Sheet& sheet, const Panel& panel, const Grid& grid, const PlaneResult::Snapshot& snapshot,
                 const ColourScale& scale) {
  panel.paint(sheet, snapshot.up, [&](double v) { return scale.pixel(v); });
  panel.mark_layers(sheet);
  sheet.frame(panel.area(), kInk);
  sheet.text({panel.area().corner.x, panel.area().corner.y - 6}, time_text(grid, snapshot.time), {.size = kNameSize});
}

std::vector<PlaneResult::Snapshot> chosen(const PlaneResult& result, const std::vector<std::size_t>& moments) {
  std::vector<PlaneResult::Snapshot> list;
  for (const std::size_t moment : moments) {
    list.push_back(result.snapshots[moment]);
  }
  return list;
}

}  // namespace

Picture peak_velocity_picture(const Scene& scene, const PlaneResult& result) {
  const Panel panel(scene, result.plane, {{kLeft, kTop}, 740, 1100});
  return {result.plane.file_stem("peak-velocity"),
          {std::max(page_width(panel.area().right()), 700.0), std::max(panel.area().bottom() + kBelow, 200.0)},
          [&scene, &result, panel](Sheet& sheet) { draw_peaks(sheet, scene, result, panel); }};
}

std::vector<std::size_t> panel_moments(const Scene& scene, const PlaneResult& result) {
  const double duration = scene.grid.steps * scene.grid.timestep;
  std::vector<std::size_t> moments;
  for (int n = 1; n <= scene.panels; ++n) {
    const double time = duration * n / scene.panels * (1 - 1e-6);
    const auto found = std::find_if(result.snapshots.begin(), result.snapshots.end(),
                                    [&](const auto& snapshot) { return snapshot.time >= time; });
    const auto moment = static_cast<std::size_t>(found - result.snapshots.begin());
    if (found != result.snapshots.end() && (moments.empty() || moments.back() != moment)) {
      moments.push_back(moment);
    }
  }
  return moments;
}

Picture wave_field_picture(const Scene& scene, const PlaneResult& result) {
  const auto moments = panel_moments(scene, result);
  const Gallery gallery(scene, result.plane, moments.size());
  return {result.plane.file_stem("wave-field"),
          {std::max(page_width(gallery.right()), 760.0), gallery.bottom() + kBelow},
          [&scene, &result, gallery, moments](Sheet& sheet) {
            const ColourScale scale = ColourScale::of_fields(chosen(result, moments));
            title(sheet, kLeft, "Velocity upwards " + where(scene.grid, result.plane), scale.description());
            for (std::size_t n = 0; n < moments.size(); ++n) {
              const Panel panel = gallery.panel(n);
              draw_moment(sheet, panel, scene.grid, result.snapshots[moments[n]], scale);
              panel.mark_hypocentre(sheet, 7);
              if (gallery.is_left(n)) {
                panel.up_axis(sheet, true);
              }
              if (gallery.is_lowest(n, moments.size())) {
                panel.across_axis(sheet, true);
              }
            }
            bar_beside(sheet, {gallery.right(), gallery.panel(0).area().corner.y}, gallery.bottom(), scale,
                       "Velocity upwards");
          }};
}

Picture moment_picture(const Scene& scene, const PlaneResult& result, std::size_t moment, const ColourScale& scale) {
  const Panel panel(scene, result.plane, {{kLeft, kTop + 16}, 740, 700});
  // Even numbers of dots, as most encoders want.
  const auto even = [](double length) { return 2 * std::ceil(length / 2); };
  return {
      result.plane.file_stem("wave-field"),
      {even(std::max(page_width(panel.area().right()), 900.0)), even(std::max(panel.area().bottom() + kBelow, 200.0))},
      [&scene, &result, panel, moment, &scale](Sheet& sheet) {
        title(sheet, kLeft, "Velocity upwards " + where(scene.grid, result.plane), scale.description());
        draw_moment(sheet, panel, scene.grid, result.snapshots[moment], scale);
        panel.mark_hypocentre(sheet, 8);
        panel.across_axis(sheet, true);
        panel.up_axis(sheet, true);
        bar_beside(sheet, {panel.area().right(), panel.area().corner.y}, panel.area().bottom(), scale,
                   "Velocity upwards");
      }};
}

}  // namespace ondes3d
