#include "pictures/record_section.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "output/out_file.hpp"
#include "pictures/axes.hpp"
#include "pictures/labels.hpp"
#include "pictures/scale.hpp"

namespace ondes3d {
namespace {

constexpr double kHead = 100, kPanel = 350, kSpace = 40, kRow = 46, kBottom = 56;
constexpr double kHalfBar = 17;      // half the height of an arrival's bar
constexpr double kAmplitude = 0.46;  // of a row, for the peak
constexpr double kStationSize = 13, kSmall = 11, kLetter = 10;
constexpr std::size_t kMostRows = 24;
constexpr std::array<const char*, 3> kComponents{"East", "North", "Up"};

double distance(const Scene& scene, std::size_t station) {
  const Vec3& p = scene.stations[station].position;
  return std::hypot(p[0] - scene.hypocentre[0], p[1] - scene.hypocentre[1]);
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

// Stations from near to far, thinned out evenly.
std::vector<std::size_t> choose(const Scene& scene) {
  std::vector<std::size_t> order(scene.stations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(scene, a) < distance(scene, b); });
  std::vector<std::size_t> chosen;
  const std::size_t rows = std::min(order.size(), kMostRows);
  for (std::size_t n = 0; n < rows; ++n) {
    chosen.push_back(order[n * order.size() / rows]);
  }
  return chosen;
}

std::string place_text(const Scene& scene, std::size_t station) {
  const double depth = -scene.stations[station].position[2];
  const std::string text = format("%.1f km", distance(scene, station) / 1000);
  return depth > 0 ? text + format(", %.0f m deep", depth) : text;
}

// One page: rows of stations, columns of components.
class Section {
 public:
  explicit Section(const Scene& scene) : scene_(scene), rows_(choose(scene)) {
    double widest = 0;
    for (const std::size_t station : rows_) {
      widest = std::max({widest, text_width(scene.stations[station].name, kStationSize),
                         text_width(place_text(scene, station), kSmall)});
      largest_ = std::max(largest_, peak_of(scene.traces[station]));
    }
    left_ = widest + 30;
    unit_ = velocity_unit(largest_);
  }

  [[nodiscard]] Extent size() const { return {panel(2).right() + 106, panel(0).bottom() + kBottom}; }

  void draw(Sheet& sheet) const {
    const std::string left_out = rows_.size() < scene_.stations.size()
                                     ? format(" %zu of %zu stations.", rows_.size(), scene_.stations.size())
                                     : "";
    title(sheet, left_, "Ground velocity at the stations, by distance from the epicentre",
          "Each station's traces have one linear scale, from minus to plus the peak on the right." + left_out);
    legend(sheet);
    for (std::size_t component = 0; component < 3; ++component) {
      draw_component(sheet, component);
    }
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      label_row(sheet, n);
    }
  }

 private:
  [[nodiscard]] Area panel(std::size_t component) const {
    return {{left_ + static_cast<double>(component) * (kPanel + kSpace), kHead},
            kPanel,
            kRow * static_cast<double>(rows_.size())};
  }
  [[nodiscard]] double duration() const { return scene_.grid.steps * scene_.grid.timestep; }
  [[nodiscard]] double middle(std::size_t row) const { return kHead + kRow * (static_cast<double>(row) + 0.5); }

  // Which bar is which, for rows where a letter has no room.
  void legend(Sheet& sheet) const {
    const bool marked = std::any_of(rows_.begin(), rows_.end(), [&](auto n) { return scene_.stations[n].p >= 0; });
    if (!marked) {
      return;
    }
    const double y = 68;
    double x = left_;
    for (const auto& [words, dashed] :
         {std::pair{"direct P", false}, std::pair{"direct S from the hypocentre", true}}) {
      sheet.segment({{x + 3, y - 10}, {x + 3, y + 3}}, kGrey, 1.2, dashed);
      sheet.text({x + 10, y}, words, {.size = kNoteSize, .colour = kGrey});
      x += 26 + text_width(words, kNoteSize);
    }
  }

  void draw_component(Sheet& sheet, std::size_t component) const {
    const Area area = panel(component);
    sheet.text({area.corner.x + area.width / 2, kHead - 9}, kComponents[component],
               {.size = 14, .align = Align::kCentre, .colour = kLines[component]});
    horizontal_axis(sheet, area, {0, duration()}, "Time (s)", true);
    for (std::size_t n = 0; n < rows_.size(); ++n) {
      draw_trace(sheet, n, component);
    }
    sheet.frame(area, kInk);
  }

  void draw_trace(Sheet& sheet, std::size_t row, std::size_t component) const {
    const Trace& trace = scene_.traces[rows_[row]];
    const Area area{{panel(component).corner.x, middle(row) - kRow / 2}, kPanel, kRow};
    const double peak = peak_of(trace);
    std::vector<Point> points;
    for (std::size_t n = 0; n < trace.size(); ++n) {
      const double height = peak > 0 ? trace[n][component] / peak : 0;
      points.push_back({area.corner.x + kPanel * static_cast<double>(n + 1) / static_cast<double>(trace.size()),
                        middle(row) - kAmplitude * kRow * height});
    }
    draw_arrivals(sheet, row, area, points);
    sheet.polyline(points, kLines[component], 1.3);
  }

  // Where the direct waves from the hypocentre should arrive: the rupture's first, not its strongest.
  void draw_arrivals(Sheet& sheet, std::size_t row, const Area& area, std::span<const Point> trace) const {
    const SceneStation& station = scene_.stations[rows_[row]];
    std::vector<double> bars;
    std::vector<const char*> letters;
    for (const auto& [time, letter] : {std::pair{station.p, "P"}, std::pair{station.s, "S"}}) {
      if (time >= 0 && time < duration()) {
        bars.push_back(area.corner.x + kPanel * time / duration());
        letters.push_back(letter);
        sheet.segment({{bars.back(), middle(row) - kHalfBar}, {bars.back(), middle(row) + kHalfBar}}, kGrey, 1,
                      letter[0] == 'S');
      }
    }
    const Extent size{text_width("P", kLetter) + 1, kAscent * kLetter + 1};
    const auto boxes = place_letters(trace, bars, area, size);
    for (std::size_t n = 0; n < boxes.size(); ++n) {
      if (boxes[n]) {
        sheet.text({boxes[n]->corner.x + 0.5, boxes[n]->bottom() - 0.5}, letters[n],
                   {.size = kLetter, .colour = kGrey});
      }
    }
  }

  // The station's name on the left of its row, the peak on the right.
  void label_row(Sheet& sheet, std::size_t row, double gap = 10) const {
    const std::size_t station = rows_[row];
    sheet.text({left_ - gap, middle(row) - 1}, scene_.stations[station].name,
               {.size = kStationSize, .align = Align::kRight});
    sheet.text({left_ - gap, middle(row) + 14}, place_text(scene_, station),
               {.size = kSmall, .align = Align::kRight, .colour = kGrey});
    const std::string peak = format("%.3g", peak_of(scene_.traces[station]) * unit_.per_metre);
    sheet.text({panel(2).right() + gap, middle(row) + 4}, "\u00b1" + peak + " " + unit_.name, {.size = kTickSize});
  }

  const Scene& scene_;
  std::vector<std::size_t> rows_;
  double left_ = 0;
  double largest_ = 0;
  VelocityUnit unit_;
};

}  // namespace

std::vector<std::optional<Area>> place_letters(std::span<const Point> trace, std::span<const double> bars,
                                               const Area& row, Extent letter) {
  LabelPlacer placer(row);
  for (std::size_t n = 1; n < trace.size(); ++n) {
    placer.block(Segment{trace[n - 1], trace[n]});
  }
  const double middle = row.corner.y + row.height / 2;
  for (const double x : bars) {
    placer.block(Segment{{x, middle - kHalfBar}, {x, middle + kHalfBar}});
  }
  std::vector<std::optional<Area>> boxes;
  for (const double x : bars) {
    std::vector<Area> candidates;
    for (const double top : {middle - kHalfBar, middle + kHalfBar - letter.height, middle - kHalfBar + 5,
                             middle + kHalfBar - letter.height - 5}) {
      candidates.push_back({{x - 2 - letter.width, top}, letter.width, letter.height});
      candidates.push_back({{x + 2, top}, letter.width, letter.height});
    }
    boxes.push_back(placer.take_first(candidates));
  }
  return boxes;
}

Picture record_section(const Scene& scene) {
  const Section section(scene);
  return {"seismograms", section.size(), [section](Sheet& sheet) { section.draw(sheet); }};
}

}  // namespace ondes3d
