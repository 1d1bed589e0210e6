// The source map and the source history.
#include <algorithm>
#include <utility>

#include "input/case.hpp"
#include "input/token_reader.hpp"

namespace ondes3d {
namespace {

// Takes over the samples from the first to the last that is not 0.
void keep_moving(const std::vector<float>& rates, Source& source) {
  const auto moves = [](float rate) { return rate != 0; };
  const auto begin = std::find_if(rates.begin(), rates.end(), moves);
  const auto end = std::find_if(rates.rbegin(), rates.rend() - (begin - rates.begin()), moves).base();
  source.rate.assign(begin, end);
  source.first = static_cast<int>(begin - rates.begin());
}

}  // namespace

SourceFile read_sources(const std::string& map_path, const std::string& history_path) {
  SourceFile file;
  TokenReader map(map_path, "a source map");
  const int count = map.integer_from(1, "the number of sub-sources");
  for (double& x : file.hypocentre) {
    x = map.number("a coordinate of the hypocentre in m");
  }
  for (int n = 1; n <= count; ++n) {
    const std::string which = " of sub-source " + std::to_string(n) + " of " + std::to_string(count);
    map.integer("the index" + which);
    Source source;
    for (double& x : source.point.position) {
      x = map.number("a coordinate in m" + which);
    }
    file.sources.push_back(std::move(source));
  }

  TokenReader history(history_path, "a source history");
  history.line("the line of M0");
  history.line("the line of Mw");
  // Rates are per area of a square of this side; histories of points give 1.
  const double side = history.number("the spacing of the history in m");
  const double interval = history.number("the interval of the history in s");
  if (interval <= 0) {
    history.fail(std::to_string(interval), "the interval of the history in s, above 0");
  }
  const auto samples = static_cast<std::size_t>(history.integer_from(1, "the number of samples"));
  std::vector<float> rates(samples);
  for (int n = 1; n <= count; ++n) {
    Source& source = file.sources[static_cast<std::size_t>(n - 1)];
    const std::string which = " of sub-source " + std::to_string(n) + " of " + std::to_string(count);
    history.integer("the index" + which);
    source.point.strike = history.number("the strike in degrees" + which);
    source.point.dip = history.number("the dip in degrees" + which);
    source.point.rake = history.number("the rake in degrees" + which);
    source.interval = interval;
    const std::string what = "a moment rate in N m/s" + which;
    for (float& rate : rates) {
      rate = static_cast<float>(side * side * history.number(what));
    }
    keep_moving(rates, source);
  }
  return file;
}

}  // namespace ondes3d
