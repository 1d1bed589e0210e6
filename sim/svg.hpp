// Pictures as SVG elements, to stand in an HTML page: heat maps and charts of lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::sim {

// For text and attributes of HTML and SVG.
std::string escaped(std::string_view text);

// Seconds in the unit that suits the largest value: "12.5", with the unit "ms" said once.
struct TimeUnit {
  double seconds = 1.0;
  std::string_view name = "s";
};
TimeUnit unit_for(double most_seconds);

// Rows (from the top) of cells from 0 to `most`. More than some hundred rows or columns are averaged.
struct HeatMap {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::vector<double>> rows;
  double most = 1.0;
};
std::string heat_map(const HeatMap& map);
// What the colours of heat maps up to `most` seconds mean.
std::string colour_scale(double most_seconds, std::string_view label);

struct LineSeries {
  std::string label;
  std::vector<std::pair<double, double>> points;  // by rising x
  bool dashed = false;
  std::size_t colour = 0;
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<LineSeries> series;
  bool marks = false;     // a circle at each point
  bool from_zero = true;  // the y axis begins at 0; or below the lowest point, and its label says so
};
std::string line_chart(const LineChart& chart);

}  // namespace weft::sim
