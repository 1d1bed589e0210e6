#include "pictures/axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace ondes3d {
namespace {

constexpr double kTick = 5;
constexpr double kCapital = 0.36;  // half the height of a digit, of the em

// As many round ticks as their labels leave room for, each `extent(label)` long.
template <typename Size>
Ticks fitting_ticks(AxisRange range, double length, const Size& extent) {
  for (int most = 9; most > 2; --most) {
    Ticks ticks = round_ticks(range, most);
    double longest = 0;
    for (std::size_t n = 0; n < ticks.values.size(); ++n) {
      longest = std::max(longest, extent(ticks.label(n)));
    }
    if (longest * static_cast<double>(ticks.values.size()) <= length) {
      return ticks;
    }
  }
  return round_ticks(range, 2);
}

// Where a line of the words ends that is at most so wide: at a blank, or at the end.
std::size_t line_end(std::string_view words, double width) {
  std::size_t end = words.size();
  while (end != std::string_view::npos && end > 0 && text_width(words.substr(0, end), kNoteSize) > width) {
    const std::size_t blank = words.rfind(' ', end - 1);
    if (blank == std::string_view::npos) {
      return words.size();
    }
    end = blank;
  }
  return end;
}

double share(AxisRange range, double value) { return (value - range.low) / (range.high - range.low); }

}  // namespace

void title(Sheet& sheet, double left, std::string_view words, std::string_view note) {
  sheet.text({left, 27}, words, {.size = kTitleSize});
  const std::size_t end = line_end(note, sheet.width() - left - 10);
  sheet.text({left, 47}, note.substr(0, end), {.size = kNoteSize, .colour = kGrey});
  if (end < note.size()) {
    sheet.text({left, 63}, note.substr(end + 1), {.size = kNoteSize, .colour = kGrey});
  }
}

void horizontal_axis(Sheet& sheet, const Area& plot, AxisRange range, std::string_view name, bool lines) {
  const Ticks ticks =
      fitting_ticks(range, plot.width, [](const std::string& label) { return text_width(label, kTickSize) + 14; });
  for (std::size_t n = 0; n < ticks.values.size(); ++n) {
    const double x = plot.corner.x + plot.width * share(range, ticks.values[n]);
    if (lines) {
      sheet.segment({{x, plot.corner.y}, {x, plot.bottom()}}, kFaint, 1);
    }
    sheet.segment({{x, plot.bottom()}, {x, plot.bottom() + kTick}}, kInk, 1);
    sheet.text({x, plot.bottom() + kTick + 13}, ticks.label(n), {.size = kTickSize, .align = Align::kCentre});
  }
  if (!name.empty()) {
    sheet.text({plot.corner.x + plot.width / 2, plot.bottom() + 38}, name,
               {.size = kNameSize, .align = Align::kCentre});
  }
}

void vertical_axis(Sheet& sheet, const Area& plot, AxisRange range, std::string_view name) {
  const Ticks ticks = fitting_ticks(range, plot.height, [](const std::string&) { return 2 * kTickSize; });
  double widest = 0;
  for (std::size_t n = 0; n < ticks.values.size(); ++n) {
    const double y = plot.bottom() - plot.height * share(range, ticks.values[n]);
    sheet.segment({{plot.corner.x - kTick, y}, {plot.corner.x, y}}, kInk, 1);
    sheet.text({plot.corner.x - kTick - 4, y + kCapital * kTickSize}, ticks.label(n),
               {.size = kTickSize, .align = Align::kRight});
    widest = std::max(widest, text_width(ticks.label(n), kTickSize));
  }
  if (!name.empty()) {
    sheet.text({plot.corner.x - kTick - widest - 14, plot.corner.y + plot.height / 2}, name,
               {.size = kNameSize, .align = Align::kCentre, .upwards = true});
  }
}

void colour_bar(Sheet& sheet, const Area& bar, const ColourScale& scale, std::string_view name) {
  const int rows = static_cast<int>(std::ceil(bar.height * sheet.density()));
  std::vector<std::uint32_t> column;
  for (int row = 0; row < rows; ++row) {
    column.push_back(scale.map().pixel(1 - (row + 0.5) / rows));
  }
  sheet.raster(bar, column, 1);
  sheet.frame(bar, kInk);
  const double middle = bar.corner.x + bar.width / 2;
  if (scale.has_higher_values()) {
    sheet.polygon(std::array<Point, 3>{{{bar.corner.x, bar.corner.y},
                                        {middle, bar.corner.y - kTriangle * bar.width},
                                        {bar.right(), bar.corner.y}}},
                  scale.map().colour(1), kInk);
  }
  if (scale.has_lower_values()) {
    sheet.polygon(std::array<Point, 3>{{{bar.corner.x, bar.bottom()},
                                        {middle, bar.bottom() + kTriangle * bar.width},
                                        {bar.right(), bar.bottom()}}},
                  scale.map().colour(0), kInk);
  }
  double widest = 0;
  for (const auto& [at, label] : scale.ticks(1.7 * kTickSize / bar.height)) {
    const double y = bar.bottom() - bar.height * at;
    sheet.segment({{bar.right(), y}, {bar.right() + kTick, y}}, kInk, 1);
    sheet.text({bar.right() + kTick + 4, y + kCapital * kTickSize}, label, {.size = kTickSize});
    widest = std::max(widest, text_width(label, kTickSize));
  }
  // A name that is longer than the bar goes up to the level of the bar's foot and on above it.
  const std::string words = std::string(name) + " (" + scale.unit().name + ")";
  const double length = text_width(words, kNameSize);
  const double centre = std::min(bar.corner.y + bar.height / 2, sheet.height() - length / 2 - 4);
  sheet.text({bar.right() + kTick + widest + 22, std::max(centre, length / 2 + 4)}, words,
             {.size = kNameSize, .align = Align::kCentre, .upwards = true});
}

}  // namespace ondes3d
