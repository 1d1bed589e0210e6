// Heat maps and line charts as SVG elements for HTML pages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::sim {

// Escapes text for HTML and SVG, also in attributes.
std::string escaped(std::string_view text);

// The unit for the labels of a chart, chosen by its largest value.
struct TimeUnit {
  double seconds = 1.0;
  std::string_view name = "s";
};
TimeUnit unit_for(double most_seconds);

// Rows of cells, from the top, with values from 0 to `most`. With many rows or columns, several share a cell that shows
// their mean.
struct HeatMap {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::vector<double>> rows;
  double most = 1.0;
};
std::string heat_map(const HeatMap& map);
// The colour scale of heat maps from 0 to `most_seconds`.
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
  bool from_zero = true;  // the y axis begins at 0; else below the lowest point, and its label says so
};
std::string line_chart(const LineChart& chart);

}  // namespace weft::sim
