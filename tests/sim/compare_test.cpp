// Comparisons of results.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/compare.hpp"
#include "sim/generate.hpp"
#include "sim/report.hpp"
#include "sim/sweep_report.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

TEST(Compare, NrmseIsThatOfTheFormula) {
  EXPECT_EQ(nrmse(std::vector<double>{1, 3}, std::vector<double>{1, 3}), 0.0);
  EXPECT_DOUBLE_EQ(nrmse(std::vector<double>{1, 3}, std::vector<double>{2, 5}), std::sqrt((1.0 + 4.0) / 2) / 2);
}

TEST(Compare, TheOrderCountsPairsThatDifferByMoreThanTheirSpreads) {
  const std::vector<double> none(4, 0.0);
  const std::vector<double> real{1, 2, 3, 4};
  EXPECT_EQ(kendall_tau(real, none, std::vector<double>{10, 20, 30, 40}).tau, 1.0);
  EXPECT_EQ(kendall_tau(real, none, std::vector<double>{4, 3, 2, 1}).tau, -1.0);
  const KendallTau swapped = kendall_tau(real, none, std::vector<double>{1, 3, 2, 4});
  EXPECT_EQ(swapped.pairs, 6U);
  EXPECT_DOUBLE_EQ(swapped.tau, 4.0 / 6.0);
  // The pair that is swapped does not count: it differs by no more than a spread.
  const KendallTau within = kendall_tau(real, std::vector<double>{0, 1, 0, 0}, std::vector<double>{1, 3, 2, 4});
  EXPECT_EQ(within.pairs, 4U);
  EXPECT_EQ(within.tau, 1.0);
}

NamedText result_of(const std::string& name, double speed) {
  const Workload workload =
      generate("stencil", {.extents = {4, 2, 1}, .iterations = 5, .imbalance = Imbalance::linear, .amount = 0.5});
  Platform platform = free_memory(2);
  platform.workers[0].speed = platform.workers[1].speed = speed;
  return {name, result_json(replay(workload, platform, {.keep_iterations = true}), platform)};
}

TEST(Compare, RunsStandBesideTheFirstOne) {
  const std::vector<NamedText> files{result_of("real", 1.0), result_of("same", 1.0), result_of("slow", 0.5)};
  const std::string text = compare(files);
  EXPECT_NE(text.find("same"), std::string::npos);
  EXPECT_NE(text.find("+0.00%"), std::string::npos) << text;
  EXPECT_NE(text.find("+100.00%"), std::string::npos) << text;
}

NamedText sweep(const std::string& name, const std::vector<double>& makespans) {
  std::string text = R"({"weft_sweep": 1, "settings": [)";
  for (std::size_t i = 0; i < makespans.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::string(R"({"lb": "refine", "lb_when": "every:)") + std::to_string(i + 1) +
            R"(", "makespan_s": )" + std::to_string(makespans[i]) + "}";
  }
  return {name, text + "]}"};
}

TEST(Compare, SweepsSayWhetherTheChosenSettingIsTheRealBest) {
  const std::string text = compare(std::vector{sweep("real", {4, 2, 3, 9}), sweep("simulated", {4, 2.5, 2})});
  EXPECT_NE(text.find("Kendall's tau 0.333 over 3 pairs"), std::string::npos) << text;
  EXPECT_NE(text.find("the setting it chooses, refine every:3, takes +50.00% of the best one's time"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("every:4"), std::string::npos) << text;  // the other file does not have it
}

TEST(Compare, ReadsWhatSweepsWrite) {
  const std::vector<Workload> workloads{generate("bsp", {.extents = {8, 1, 1}, .iterations = 4})};
  const PlatformFile platform(R"({"weft_platform": 1, "sites": [{"hosts": [{"name": "node", "cores": 4}]}]})",
                              "p.json");
  const std::vector<Setting> settings =
      settings_of({.strategies = {"none", "greedy"}, .whens = {"every:2"}, .workers = {2, 4}}, 1);
  const std::vector<Outcome> outcomes = replay_all({workloads, platform}, settings, 1, [](auto, auto) {});
  const std::vector<std::string> names{"bsp"};
  const SweepResult result{settings, outcomes, names};
  const std::string json = sweep_json(result);
  const std::string text = compare(std::vector<NamedText>{{"a", json}, {"b", json}});
  EXPECT_NE(text.find("workers=4 greedy every:2 last"), std::string::npos) << text;
  EXPECT_NE(text.find("errors of 0.00 %"), std::string::npos) << text;
  // A column for what differs, and no other one.
  const std::string table = sweep_table(result);
  EXPECT_EQ(table.find("workers  lb"), 0U) << table;
  EXPECT_EQ(table.find("network"), std::string::npos) << table;
  EXPECT_EQ(unbalanced(settings, 3), 2U);
}

TEST(Compare, MistakesAreOneLine) {
  const auto refusal = [](const std::vector<NamedText>& files) {
    try {
      compare(files);
    } catch (const CompareError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({{"x", "{}"}, {"y", "{}"}}).find("x: not a result"), 0U);
  EXPECT_EQ(refusal({{"x", "a picture"}}).find("x: not a result"), 0U);
  EXPECT_NE(refusal({result_of("run", 1.0), sweep("sweep", {1})}).find("different kinds"), std::string::npos);
  EXPECT_NE(refusal({sweep("a", {}), sweep("b", {1})}).find("no setting that all"), std::string::npos);
  EXPECT_EQ(refusal({{"x", R"({"weft_sweep": 1, "settings": [3]})"}}).find("x: not a result"), 0U);
}

}  // namespace
}  // namespace weft::sim::test
