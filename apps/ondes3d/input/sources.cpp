// The source map and the source history.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "input/case.hpp"
#include "input/number.hpp"
#include "input/plausible.hpp"
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

std::string which(std::size_t n, std::size_t count) {
  return " of sub-source " + std::to_string(n + 1) + " of " + std::to_string(count);
}

// The indices of the sub-sources, in the order of the map.
std::vector<int> read_map(const std::string& path, SourceFile& file) {
  TokenReader map(path, "a source map");
  const auto count = static_cast<std::size_t>(map.integer_from(1, "the number of sub-sources"));
  for (double& x : file.hypocentre) {
    x = map.number("a coordinate of the hypocentre in m");
  }
  std::vector<int> indices;
  std::unordered_map<int, std::size_t> places;
  for (std::size_t n = 0; n < count; ++n) {
    indices.push_back(map.integer("the index" + which(n, count)));
    if (const auto [before, fresh] = places.emplace(indices.back(), n); !fresh) {
      map.fail(
          "index " + std::to_string(indices.back()) + " a second time",
          "the index" + which(n, count) + ", one that " + which(before->second, count).substr(4) + " does not have");
    }
    Source source;
    for (double& x : source.point.position) {
      x = map.number("a coordinate in m" + which(n, count));
    }
    file.sources.push_back(std::move(source));
  }
  map.expect_end("the last of " + std::to_string(count) + " sub-sources");
  return indices;
}

struct HistoryHead {
  double area = 0;      // m2; rates are per area of a square, histories of points give 1
  double interval = 0;  // s
  int samples = 0;
};

HistoryHead read_head(TokenReader& history) {
  history.line("the line of M0");
  history.line("the line of Mw");
  HistoryHead head;
  const double side = history.number("the spacing of the history in m");
  if (side <= 0) {
    history.fail(shown(side), "the spacing of the history in m, above 0");
  }
  head.area = side * side;
  head.interval = history.number("the interval of the history in s");
  if (head.interval <= 0) {
    history.fail(std::to_string(head.interval), "the interval of the history in s, above 0");
  }
  head.samples = history.integer_from(1, "the number of samples");
  return head;
}

// The index in front of a sub-source: what tells a file with a sample too many or too few.
void expect_index(TokenReader& history, int index, const std::string& whose) {
  const std::string what = "the index" + whose + ", " + std::to_string(index) +
                           " as in the source map, after as many samples for each as the file's head says";
  if (const int found = history.integer(what); found != index) {
    history.fail(std::to_string(found), what);
  }
}

void read_rates(TokenReader& history, const HistoryHead& head, const std::string& whose, std::vector<float>& rates) {
  const std::string what = "a moment rate in N m/s" + whose;
  rates.clear();
  for (int n = 0; n < head.samples; ++n) {
    const double rate = head.area * history.number(what);
    if (!kMomentRates.holds(rate)) {
      history.fail(shown(rate), what + ", at most " + shown(kMomentRates.most));
    }
    rates.push_back(static_cast<float>(rate));
  }
}

void read_history(const std::string& path, const std::vector<int>& indices, std::vector<Source>& sources) {
  TokenReader history(path, "a source history");
  const HistoryHead head = read_head(history);
  std::vector<float> rates;
  for (std::size_t n = 0; n < sources.size(); ++n) {
    const std::string whose = which(n, sources.size());
    expect_index(history, indices[n], whose);
    SourcePoint& point = sources[n].point;
    point.strike = history.number_within(kAzimuths.least, kAzimuths.most, "the strike in degrees" + whose);
    point.dip = history.number_within(kDips.least, kDips.most, "the dip in degrees" + whose);
    point.rake = history.number_within(kAzimuths.least, kAzimuths.most, "the rake in degrees" + whose);
    sources[n].interval = head.interval;
    read_rates(history, head, whose, rates);
    keep_moving(rates, sources[n]);
  }
  history.expect_end("the last of " + std::to_string(head.samples) + " samples" +
                     which(sources.size() - 1, sources.size()));
}

}  // namespace

SourceFile read_sources(const std::string& map_path, const std::string& history_path) {
  SourceFile file;
  const std::vector<int> indices = read_map(map_path, file);
  read_history(history_path, indices, file.sources);
  return file;
}

}  // namespace ondes3d
