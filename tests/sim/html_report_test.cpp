// The page with pictures: well-formed, and with the values of its runs.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/generate.hpp"
#include "sim/html_report.hpp"
#include "sim/report.hpp"
#include "sim/svg.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

std::string file_with(const std::string& text) {
  std::string path =
      testing::TempDir() + "weft_html_report_" + std::to_string(std::hash<std::string>{}(text)) + ".json";
  std::ofstream(path) << text;
  return path;
}

ReportedRun simulated(const std::string& strategy, const std::string& when) {
  const Platform platform = make_platform({.hosts = 2, .cores = 2});
  const Workload workload =
      generate("stencil", {.extents = {8, 1, 1}, .iterations = 12, .imbalance = Imbalance::linear, .amount = 0.5});
  const std::string path = file_with(result_json(
      replay(workload, platform, {.balancing = {.strategy = strategy, .when = when}, .keep_iterations = true}),
      platform));
  ReportedRun run = read_run(path);
  std::remove(path.c_str());
  return run;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

// Tags nest; those that end in "/>" have no end.
void expect_well_formed(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = page.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" />\n", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty()) << tag;
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (tag[0] != '!' && tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(HtmlReport, ReadsWhatRunWrites) {
  const ReportedRun run = simulated("greedy", "every:3");
  EXPECT_EQ(run.strategy, "greedy");
  EXPECT_EQ(run.period, 3U);
  EXPECT_EQ(run.ratio(), 2.0);
  EXPECT_EQ(run.iterations.size(), 12U);
  EXPECT_EQ(run.iterations.front().size(), 4U);
  EXPECT_EQ(run.steps, 4U);
  EXPECT_LE(run.ends.back(), run.makespan);
}

TEST(HtmlReport, HasAColumnForEachLabelAndRealAboveSimulated) {
  std::vector<ReportedRun> runs;
  for (const char* strategy : {"none", "greedy"}) {
    runs.push_back(simulated(strategy, "every:3"));
    runs.push_back(runs.back());
    runs.back().real = true;
  }
  const std::string page = html_report(runs);
  expect_well_formed(page);
  EXPECT_NE(page.find("repeat(2, max-content)"), std::string::npos);
  for (const char* place : {"grid-column: 1; grid-row: 1", "grid-column: 1; grid-row: 2", "grid-column: 2; grid-row: 1",
                            "grid-column: 2; grid-row: 2"}) {
    EXPECT_EQ(count(page, place), 1U) << place;
  }
  EXPECT_EQ(count(page, "<svg"), 1U + 4U + 1U);  // scale, maps, load
  char makespan[32];
  std::snprintf(makespan, sizeof makespan, "<td>%.6g</td>", runs[2].makespan);
  EXPECT_EQ(count(page, makespan), 2U);
  EXPECT_EQ(count(page, "http"), count(page, "http://www.w3.org/2000/svg"));  // nothing from elsewhere
}

TEST(HtmlReport, DrawsMakespansWhereThereAreSeveralPeriods) {
  std::vector<ReportedRun> runs{simulated("refine", "every:2")};
  EXPECT_EQ(html_report(runs).find("Makespan against period"), std::string::npos);
  runs.push_back(simulated("refine", "every:4"));
  const std::string page = html_report(runs);
  expect_well_formed(page);
  EXPECT_NE(page.find("Makespan against period"), std::string::npos);
  EXPECT_EQ(page.find("Makespan against virtualization ratio"), std::string::npos);
  EXPECT_EQ(count(page, "<circle"), 2U);
}

TEST(HtmlReport, EscapesLabels) {
  ReportedRun run = simulated("none", "every");
  run.label = "a<b & \"c\"";
  const std::string page = html_report({&run, 1});
  expect_well_formed(page);
  EXPECT_NE(page.find("a&lt;b &amp; &quot;c&quot;"), std::string::npos);
}

TEST(HtmlReport, OtherFilesAreRefusedInOneLine) {
  for (const char* text :
       {"", "{", "{\"makespan_s\": 1}", "{\"makespan_s\": 1, \"rank_ended_s\": [1], \"steps\": [], \"workers\": []}"}) {
    const std::string path = file_with(text);
    try {
      (void)read_run(path);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find(path), 0U);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    std::remove(path.c_str());
  }
  EXPECT_THROW(read_run("/nowhere/to/be/found"), std::runtime_error);
}

TEST(Svg, UnitsSuitTheLargestValue) {
  EXPECT_EQ(unit_for(2).name, "s");
  EXPECT_EQ(unit_for(0.02).name, "ms");
  EXPECT_EQ(unit_for(3e-6).name, "µs");
  EXPECT_EQ(unit_for(0).name, "s");
}

TEST(Svg, AnAxisNeedNotBeginAtZero) {
  LineChart chart{.title = "t", .x_label = "x", .y_label = "y", .series = {}};
  chart.series.push_back({.label = "a", .points = {{10, 100.0}, {20, 102.0}}});
  EXPECT_NE(line_chart(chart).find(">60<"), std::string::npos);
  EXPECT_EQ(line_chart(chart).find("not from 0"), std::string::npos);
  chart.from_zero = false;
  const std::string text = line_chart(chart);
  EXPECT_EQ(text.find(">60<"), std::string::npos);
  EXPECT_NE(text.find(">101<"), std::string::npos);
  EXPECT_NE(text.find("y (not from 0)"), std::string::npos);
}

TEST(Svg, ManyCellsAreAveraged) {
  const std::string map = heat_map({.title = "t",
                                    .x_label = "x",
                                    .y_label = "y",
                                    .rows = std::vector<std::vector<double>>(1000, std::vector<double>(5000, 1.0)),
                                    .most = 1.0});
  EXPECT_LT(map.size(), 10000U);
  EXPECT_NE(map.find(">5000<"), std::string::npos);
}

}  // namespace
}  // namespace weft::sim::test
