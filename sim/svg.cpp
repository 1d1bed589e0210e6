#include "sim/svg.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace weft::sim {
namespace {

constexpr std::size_t kMostRows = 96;
constexpr std::size_t kMostColumns = 240;
constexpr std::size_t kLevels = 24;  // of colour

// From dark to light, in even steps of lightness: viridis (van der Walt, Smith 2015).
constexpr std::array<std::array<double, 3>, 6> kRamp{
    {{68, 1, 84}, {65, 68, 135}, {42, 120, 142}, {34, 168, 132}, {122, 209, 81}, {253, 231, 37}}};
// A palette for colour-blind readers, too (Okabe, Ito 2008).
constexpr std::array<std::string_view, 8> kLineColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                       "#e69f00", "#56b4e9", "#000000", "#8a6d00"};

// The size of a picture and the margins around its axes.
struct Frame {
  double width, height, left, top, right, bottom;
  [[nodiscard]] double inner_width() const { return width - left - right; }
  [[nodiscard]] double inner_height() const { return height - top - bottom; }
};
constexpr Frame kMapFrame{430, 250, 52, 26, 10, 40};
constexpr Frame kChartFrame{640, 320, 64, 28, 16, 44};

std::string colour_of(std::size_t level) {
  const double place = static_cast<double>(level) / (kLevels - 1) * (kRamp.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(place), kRamp.size() - 2);
  const double part = place - static_cast<double>(low);
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    mixed[i] = static_cast<int>(std::lround(kRamp[low][i] * (1.0 - part) + kRamp[low + 1][i] * part));
  }
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

// The means of at most `most` ranges of about equal length.
std::vector<double> averaged(const std::vector<double>& values, std::size_t most) {
  const std::size_t runs = std::min(values.size(), most);
  std::vector<double> result;
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t first = run * values.size() / runs;
    const std::size_t end = (run + 1) * values.size() / runs;
    double sum = 0.0;
    for (std::size_t i = first; i < end; ++i) {
      sum += values[i];
    }
    result.push_back(sum / static_cast<double>(end - first));
  }
  return result;
}

std::vector<std::vector<double>> averaged_rows(const std::vector<std::vector<double>>& rows) {
  std::vector<std::vector<double>> result;
  const std::size_t runs = std::min(rows.size(), kMostRows);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t first = run * rows.size() / runs;
    const std::size_t end = (run + 1) * rows.size() / runs;
    std::vector<double> mean(rows[first].size());
    for (std::size_t row = first; row < end; ++row) {
      for (std::size_t column = 0; column < mean.size(); ++column) {
        mean[column] += rows[row][column] / static_cast<double>(end - first);
      }
    }
    result.push_back(averaged(mean, kMostColumns));
  }
  return result;
}

// 1, 2 or 5 times a power of ten, so that about four to eight ticks fit up to `most`.
double tick_step(double most) {
  const double rough = most / 5.0;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double part = rough / power;
  return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

std::vector<double> ticks(double least, double most) {
  std::vector<double> result;
  const double step = most > least ? tick_step(most - least) : 1.0;
  const double first = std::ceil(least / step - 1e-4) * step;
  for (int i = 0; first + i * step <= most + 1e-4 * step; ++i) {
    result.push_back(first + i * step);
  }
  return result;
}

std::string begin_svg(const Frame& frame, std::string_view title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<title>{2}</title>\n"
      "<text x=\"{3}\" y=\"16\" font-size=\"13\" font-weight=\"bold\" fill=\"#222\">{2}</text>\n",
      frame.width, frame.height, escaped(title), frame.left);
}

// The values at the ends of the axes; x begins at 0.
struct Range {
  double x_most = 1.0;
  double y_least = 0.0;
  double y_most = 1.0;
  [[nodiscard]] double x_part(double x) const { return x / x_most; }
  [[nodiscard]] double y_part(double y) const { return (y - y_least) / (y_most - y_least); }
};

// Labels of both axes.
std::string axes(const Frame& frame, const Range& range, std::string_view x_label, std::string_view y_label,
                 bool y_from_top) {
  const double bottom = frame.height - frame.bottom;
  std::string text =
      fmt::format("<g stroke=\"#888\" fill=\"none\"><path d=\"M{0} {1}V{2}H{3}\"/></g>\n<g fill=\"#333\">", frame.left,
                  frame.top, bottom, frame.width - frame.right);
  for (const double tick : ticks(0.0, range.x_most)) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>",
                        frame.left + frame.inner_width() * range.x_part(tick), bottom + 14, tick);
  }
  for (const double tick : ticks(range.y_least, range.y_most)) {
    const double part = y_from_top ? 1.0 - range.y_part(tick) : range.y_part(tick);
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>", frame.left - 5,
                        bottom - frame.inner_height() * part + 4, tick);
  }
  text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                      frame.left + frame.inner_width() / 2, frame.height - 8, escaped(x_label));
  text += fmt::format("<text transform=\"translate(13 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text></g>\n",
                      frame.top + frame.inner_height() / 2, escaped(y_label));
  return text;
}

// One path for each colour, with a rectangle for each run of cells of that colour.
std::string cells(const std::vector<std::vector<double>>& rows, double most) {
  std::array<std::string, kLevels> paths;
  const auto level_of = [most](double value) {
    const double part = most > 0.0 ? std::clamp(value / most, 0.0, 1.0) : 0.0;
    return static_cast<std::size_t>(std::lround(part * (kLevels - 1)));
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0, end = 0; column < rows[row].size(); column = end) {
      const std::size_t level = level_of(rows[row][column]);
      for (end = column + 1; end < rows[row].size() && level_of(rows[row][end]) == level; ++end) {
      }
      fmt::format_to(std::back_inserter(paths[level]), "M{} {}h{}v1h-{}z", column, row, end - column, end - column);
    }
  }
  std::string text;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (!paths[level].empty()) {
      text += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", colour_of(level), paths[level]);
    }
  }
  return text;
}

// Contains all points, with some room above them and, unless the axis begins at 0, below.
Range range_of(const LineChart& chart) {
  Range range{.x_most = 0.0, .y_least = std::numeric_limits<double>::max(), .y_most = 0.0};
  for (const LineSeries& series : chart.series) {
    for (const auto& [x, y] : series.points) {
      range = {std::max(range.x_most, x), std::min(range.y_least, y), std::max(range.y_most, y)};
    }
  }
  range.x_most = range.x_most > 0.0 ? range.x_most : 1.0;
  const double room = range.y_most > range.y_least ? 0.1 * (range.y_most - range.y_least) : 0.1 * range.y_most;
  range.y_least = chart.from_zero ? 0.0 : std::max(range.y_least - room, 0.0);
  range.y_most = range.y_most > 0.0 ? (chart.from_zero ? 1.04 * range.y_most : range.y_most + room) : 1.0;
  return range;
}

std::string lines(const LineChart& chart, const Range& range) {
  std::string text;
  const double bottom = kChartFrame.height - kChartFrame.bottom;
  for (const LineSeries& series : chart.series) {
    const std::string_view colour = kLineColours[series.colour % kLineColours.size()];
    std::string points;
    std::string marks;
    for (const auto& [x, y] : series.points) {
      const double at_x = kChartFrame.left + kChartFrame.inner_width() * range.x_part(x);
      const double at_y = bottom - kChartFrame.inner_height() * range.y_part(y);
      fmt::format_to(std::back_inserter(points), "{:.1f},{:.1f} ", at_x, at_y);
      if (chart.marks) {
        fmt::format_to(std::back_inserter(marks),
                       "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {:g}, {:g}</title></circle>",
                       at_x, at_y, colour, escaped(series.label), x, y);
      }
    }
    text += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"{} points=\"{}\"/>{}\n", colour,
                        series.dashed ? " stroke-dasharray=\"5 3\"" : "", points, marks);
  }
  return text;
}

// Below the chart, as HTML, so that long names wrap.
std::string legend(const LineChart& chart) {
  std::string text = "<p class=\"legend\">";
  for (const LineSeries& series : chart.series) {
    text += fmt::format("<span><i style=\"border-top:2px {} {}\"></i>{}</span>\n", series.dashed ? "dashed" : "solid",
                        kLineColours[series.colour % kLineColours.size()], escaped(series.label));
  }
  return text + "</p>\n";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

TimeUnit unit_for(double most_seconds) {
  constexpr std::array<TimeUnit, 3> kUnits{{{1.0, "s"}, {1e-3, "ms"}, {1e-6, "µs"}}};
  for (const TimeUnit& unit : kUnits) {
    if (most_seconds >= unit.seconds) {
      return unit;
    }
  }
  return most_seconds > 0.0 ? kUnits.back() : kUnits.front();
}

std::string heat_map(const HeatMap& map) {
  const std::vector<std::vector<double>> rows = averaged_rows(map.rows);
  std::string text = begin_svg(kMapFrame, map.title);
  const double columns = map.rows.empty() ? 1.0 : static_cast<double>(map.rows.front().size());
  const double shown = rows.empty() ? 1.0 : static_cast<double>(rows.front().size());
  text += fmt::format(
      "<g transform=\"translate({} {}) scale({:.6f} {:.6f})\" shape-rendering=\"crispEdges\">\n{}</g>\n",
      kMapFrame.left, kMapFrame.top, kMapFrame.inner_width() / shown,
      kMapFrame.inner_height() / static_cast<double>(std::max<std::size_t>(1, rows.size())), cells(rows, map.most));
  const auto height = static_cast<double>(std::max<std::size_t>(1, map.rows.size()));
  return text + axes(kMapFrame, {columns, 0.0, height}, map.x_label, map.y_label, true) + "</svg>\n";
}

std::string colour_scale(double most_seconds, std::string_view label) {
  constexpr Frame kFrame{430, 58, 10, 20, 20, 24};
  const TimeUnit unit = unit_for(most_seconds);
  const double most = most_seconds / unit.seconds;
  const double width = kFrame.inner_width() / kLevels;
  std::string text = begin_svg(kFrame, fmt::format("{}, {}", label, unit.name));
  for (std::size_t level = 0; level < kLevels; ++level) {
    text += fmt::format("<rect x=\"{:.2f}\" y=\"24\" width=\"{:.2f}\" height=\"12\" fill=\"{}\"/>",
                        kFrame.left + static_cast<double>(level) * width, width + 0.3, colour_of(level));
  }
  for (const double tick : ticks(0.0, most)) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"50\" text-anchor=\"middle\" fill=\"#333\">{:g}</text>",
                        kFrame.left + (most > 0.0 ? kFrame.inner_width() * tick / most : 0.0), tick);
  }
  return text + "</svg>\n";
}

std::string line_chart(const LineChart& chart) {
  const Range range = range_of(chart);
  const std::string y_label = chart.y_label + (range.y_least > 0.0 ? " (not from 0)" : "");
  return begin_svg(kChartFrame, chart.title) + axes(kChartFrame, range, chart.x_label, y_label, false) +
         lines(chart, range) + "</svg>\n" + legend(chart);
}

}  // namespace weft::sim
