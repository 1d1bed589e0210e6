#include "sim/html_report.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/input_file.hpp"
#include "lb/when.hpp"
#include "sim/svg.hpp"

namespace weft::sim {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><title>Weft: runs compared</title>
<style>
body { font-family: sans-serif; margin: 2em; color: #222; max-width: 1400px }
table { border-collapse: collapse }
td, th { padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; text-align: right }
td:first-child, th:first-child { text-align: left }
.maps { display: grid; gap: 0.5em; justify-content: start }
.legend { max-width: 640px; margin: 0 0 2em 4em }
.legend span { margin-right: 1.5em; white-space: nowrap }
.legend i { display: inline-block; width: 2em; margin-right: 0.4em; vertical-align: middle }
</style></head><body>
<h1>Runs compared</h1>
)";

std::vector<std::vector<double>> transposed(const std::vector<std::vector<double>>& iterations) {
  std::vector<std::vector<double>> rows(iterations.front().size(), std::vector<double>(iterations.size()));
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    for (std::size_t worker = 0; worker < rows.size(); ++worker) {
      rows[worker][i] = iterations[i][worker];
    }
  }
  return rows;
}

double longest_of(const std::vector<std::vector<double>>& iterations) {
  double longest = 0.0;
  for (const auto& iteration : iterations) {
    longest = std::max(longest, std::ranges::max(iteration));
  }
  return longest;
}

std::string title_of(const ReportedRun& run) { return run.label + (run.real ? ", real" : ", simulated"); }

// The different labels, in the order of their first occurrence.
std::vector<std::string> labels_of(std::span<const ReportedRun> runs) {
  std::vector<std::string> labels;
  for (const ReportedRun& run : runs) {
    if (std::ranges::find(labels, run.label) == labels.end()) {
      labels.push_back(run.label);
    }
  }
  return labels;
}

std::size_t colour_of(const std::vector<std::string>& labels, const std::string& label) {
  return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
}

std::string table(std::span<const ReportedRun> runs) {
  std::string text =
      "<table><tr><th>run</th><th>makespan s</th><th>against the first</th><th>imbalance</th><th>ranks</th>"
      "<th>workers</th><th>steps</th><th>moves</th></tr>\n";
  for (const ReportedRun& run : runs) {
    const double mean = std::accumulate(run.busy.begin(), run.busy.end(), 0.0) / static_cast<double>(run.busy.size());
    const double imbalance = mean > 0.0 ? std::ranges::max(run.busy) / mean : 1.0;
    text += fmt::format(
        "<tr><td>{}</td><td>{:.6g}</td><td>{:+.1f} %</td><td>{:.3f}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "</tr>\n",
        escaped(title_of(run)), run.makespan, 100.0 * (run.makespan / runs.front().makespan - 1.0), imbalance,
        run.ranks, run.busy.size(), run.steps, run.moves);
  }
  return text + "</table>\n";
}

// A column for each label, real runs above simulated ones, and one scale for all.
std::string heat_maps(std::span<const ReportedRun> runs) {
  std::vector<ReportedRun> shown;
  std::ranges::copy_if(runs, std::back_inserter(shown), [](const ReportedRun& run) { return !run.iterations.empty(); });
  if (shown.empty()) {
    return {};
  }
  double most = 0.0;
  for (const ReportedRun& run : shown) {
    most = std::max(most, longest_of(run.iterations));
  }
  const std::vector<std::string> labels = labels_of(shown);
  std::string text = fmt::format(
      "<h2>Computing by core and iteration</h2>\n{}<div class=\"maps\" "
      "style=\"grid-template-columns: repeat({}, max-content)\">\n",
      colour_scale(most, "computing of a core in an iteration"), labels.size());
  for (const ReportedRun& run : shown) {
    const bool has_real = std::ranges::any_of(shown, &ReportedRun::real);
    text += fmt::format("<div style=\"grid-column: {}; grid-row: {}\">{}</div>\n", colour_of(labels, run.label) + 1,
                        run.real || !has_real ? 1 : 2,
                        heat_map({.title = title_of(run),
                                  .x_label = "iteration",
                                  .y_label = "core",
                                  .rows = transposed(run.iterations),
                                  .most = most}));
  }
  return text + "</div>\n";
}

// The share of all cores' time that is spent computing, for each fortieth of the run. Ranks do not end an iteration
// together, so the work until its mean end differs a little from the iteration's work: shorter parts would show noise.
std::vector<std::pair<double, double>> load_over_time(const ReportedRun& run) {
  constexpr int kParts = 40;
  const double end = run.ends.back();
  std::vector<std::pair<double, double>> points;
  std::array<double, kParts> busy{};
  double begin = 0.0;  // of the iteration
  for (std::size_t next = 0; next < run.iterations.size(); begin = run.ends[next], ++next) {
    const double all = std::accumulate(run.iterations[next].begin(), run.iterations[next].end(), 0.0);
    for (int part = 0; part < kParts; ++part) {
      const double from = std::max(begin, end * part / kParts);
      const double until = std::min(run.ends[next], end * (part + 1) / kParts);
      busy[static_cast<std::size_t>(part)] += until > from ? all * (until - from) / (run.ends[next] - begin) : 0.0;
    }
  }
  for (int part = 0; part < kParts; ++part) {
    const double time = end / kParts * static_cast<double>(run.busy.size());
    const double load = time > 0.0 ? 100.0 * busy[static_cast<std::size_t>(part)] / time : 0.0;
    points.emplace_back(end * (part + 0.5) / kParts, std::min(load, 100.0));
  }
  return points;
}

std::string loads(std::span<const ReportedRun> runs) {
  LineChart chart{.title = "Average load of the cores", .x_label = "time, s", .y_label = "load, %", .series = {}};
  const std::vector<std::string> labels = labels_of(runs);
  for (const ReportedRun& run : runs) {
    if (!run.iterations.empty()) {
      chart.series.push_back({.label = title_of(run),
                              .points = load_over_time(run),
                              .dashed = run.real,
                              .colour = colour_of(labels, run.label)});
    }
  }
  return chart.series.empty() ? "" : "<h2>Load against time</h2>\n" + line_chart(chart);
}

// A line for each strategy and value of `other` that has at least two points.
template <typename Along, typename Other>
std::string makespans(std::span<const ReportedRun> runs, LineChart chart, const Along& along, const Other& other) {
  std::map<std::pair<std::string, bool>, std::map<double, double>> lines;
  for (const ReportedRun& run : runs) {
    if (along(run) > 0.0) {
      const std::string name = run.strategy + other(run) + (run.real ? ", real" : "");
      lines[{name, run.real}][along(run)] = run.makespan;
    }
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 2; });
  if (lines.empty()) {
    return {};
  }
  for (const auto& [name, points] : lines) {
    chart.series.push_back({.label = name.first,
                            .points = {points.begin(), points.end()},
                            .dashed = name.second,
                            .colour = chart.series.size()});
  }
  chart.y_label = "makespan, s";
  chart.marks = true;
  chart.from_zero = false;  // the differences between settings are small against the makespans
  return line_chart(chart);
}

std::string tuning(std::span<const ReportedRun> runs) {
  const auto period = [](const ReportedRun& run) {
    return run.strategy == "none" ? 0.0 : static_cast<double>(run.period);
  };
  const auto ratio = [](const ReportedRun& run) { return run.ratio(); };
  const std::string by_period =
      makespans(runs,
                {.title = "Makespan against period",
                 .x_label = "calls of MPI_Migrate between two steps",
                 .y_label = "",
                 .series = {}},
                period, [](const ReportedRun& run) { return fmt::format(", ratio {:g}", run.ratio()); });
  const std::string by_ratio = makespans(
      runs,
      {.title = "Makespan against virtualization ratio", .x_label = "ranks for each core", .y_label = "", .series = {}},
      ratio, [](const ReportedRun& run) {
        return run.strategy == "none" || run.period == 0 ? "" : fmt::format(", period {}", run.period);
      });
  return by_period.empty() && by_ratio.empty() ? "" : "<h2>Settings</h2>\n" + by_period + by_ratio;
}

ReportedRun parse_run(const nlohmann::json& json) {
  ReportedRun run;
  run.makespan = json.at("makespan_s").get<double>();
  run.strategy = json.value("lb", "none");
  run.period = lb::period_of(json.value("lb_when", ""));
  run.ranks = json.at("rank_ended_s").size();
  run.iterations = json.value("iterations", run.iterations);
  run.ends = json.value("iteration_ends_s", run.ends);
  for (const auto& step : json.at("steps")) {
    ++run.steps;
    run.moves += step.at("moves").get<std::uint64_t>();
  }
  for (const auto& worker : json.at("workers")) {
    const auto speed = worker.at("speed").get<double>();
    const std::size_t number = run.busy.size();
    run.busy.push_back(worker.at("busy_s").get<double>());
    for (auto& iteration : run.iterations) {
      iteration.at(number) /= speed;
    }
  }
  if (run.busy.empty() || run.ends.size() != run.iterations.size() ||
      std::ranges::any_of(run.iterations, [&](const auto& row) { return row.size() != run.busy.size(); })) {
    throw std::invalid_argument("workers, iterations and iteration_ends_s do not fit together");
  }
  run.label = run.strategy;
  return run;
}

}  // namespace

ReportedRun read_run(const std::string& file) {
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw std::runtime_error(why);
  }
  try {
    return parse_run(nlohmann::json::parse(std::ifstream(file)));
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format("{}: expected what weftsim run --json writes: {}", file, error.what()));
  }
}

std::string html_report(std::span<const ReportedRun> runs) {
  return std::string(kHead) + table(runs) + heat_maps(runs) + loads(runs) + tuning(runs) + "</body></html>\n";
}

}  // namespace weft::sim
