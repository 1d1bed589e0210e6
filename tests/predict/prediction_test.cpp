// Pareto fronts, and whole predictions of runs whose law is known.
#include "predict/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "predict/pareto.hpp"
#include "predict/prediction_report.hpp"
#include "runs.hpp"

namespace weft::predict {
namespace {

using test::observed;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Pareto, TheFrontByRisingTime) {
  const std::vector<Point> points{{4, 1}, {1, 9}, {2, 3}, {3, 3}, {2, 5}, {4, 1}, {5, 0.5}};
  EXPECT_THAT(pareto_front(points), ElementsAre(1, 2, 0, 6));
  EXPECT_TRUE(pareto_front({}).empty());
}

TEST(Pareto, TheKneeIsFurthestBelowTheLineBetweenTheEnds) {
  // Of the line from (1, 9) to (5, 0.5): (2, 3) has 1 - 1/4 - 2.5/8.5 = 0.456 below, (4, 1) 1 - 3/4 - 0.5/8.5 = 0.191.
  const std::vector<Point> points{{4, 1}, {1, 9}, {2, 3}, {5, 0.5}};
  EXPECT_EQ(knee_of(points, pareto_front(points)), 2U);
  const std::vector<Point> two{{1, 2}, {2, 1}};
  EXPECT_EQ(knee_of(two, pareto_front(two)), 1U);
  const std::vector<Point> bulge{{1, 3}, {2, 2.9}, {3, 1}};
  EXPECT_EQ(knee_of(bulge, pareto_front(bulge)), 2U);
  const std::vector<Point> one{{1, 2}};
  EXPECT_EQ(knee_of(one, pareto_front(one)), 0U);
}

// T(p) = 3600 / p seconds, which Amdahl's law finds exactly.
Prediction halving_runs(const PredictionOptions& options) {
  Catalogue catalogue{.currency = "EUR"};
  catalogue.machines.push_back({.name = "small", .cores = 4, .price_per_hour = 1.0, .most_instances = 3});
  catalogue.machines.push_back({.name = "fast", .cores = 4, .speed = 2.0, .price_per_hour = 8.0});
  return predict({observed(1, 1, 3600.0), observed(2, 2, 1800.0), observed(4, 4, 900.0)}, catalogue, options);
}

TEST(Prediction, TimesAndCosts) {
  const Prediction prediction = halving_runs({.model = "amdahl"});
  ASSERT_EQ(prediction.choices.size(), 4U);  // 1, 2 and 3 small ones, and a fast one
  const Choice& three = prediction.choices[0];
  EXPECT_EQ(three.where.instances, 3U);
  EXPECT_NEAR(three.time, 300.0, 1e-6);
  EXPECT_NEAR(three.low, 300.0, 1e-3);  // Amdahl's law is never off here
  EXPECT_NEAR(three.cost, 300.0 / 3600.0 * 3.0, 1e-9);
  EXPECT_TRUE(three.on_front);
  const auto fast = std::ranges::find(prediction.choices, "fast", [](const Choice& c) { return c.where.machine.name; });
  EXPECT_NEAR(fast->time, 450.0, 1e-6);
  EXPECT_NEAR(fast->cost, 1.0, 1e-9);
  EXPECT_FALSE(fast->on_front);
  EXPECT_EQ(std::ranges::count(prediction.choices, true, &Choice::is_knee), 1);
}

TEST(Prediction, IntervalsAreAsWideAsTheLargestErrorOfASizeLeftOut) {
  const Prediction prediction = halving_runs({.model = "nearest"});  // off by 2 each time
  EXPECT_NEAR(prediction.choices[0].low, prediction.choices[0].time / 2.0, 1e-9);
  EXPECT_NEAR(prediction.choices[0].high, prediction.choices[0].time * 2.0, 1e-9);
}

TEST(Prediction, TheModelWithTheLeastErrorDecides) {
  const Prediction prediction = halving_runs({});
  for (const FittedModel& model : prediction.models) {
    EXPECT_FALSE(model.validation.mape < prediction.models[prediction.model].validation.mape) << model.kind.name;
  }
  EXPECT_LT(prediction.models[prediction.model].validation.mape, 0.01);
  EXPECT_GT(prediction.models[index_of("nearest", predictors())].validation.mape, 0.1);
}

TEST(Prediction, OnlyRanksThatTheProgramCanHave) {
  const Prediction prediction = halving_runs({.model = "amdahl", .ratios = {1, 2}, .ranks = {8, 64}});
  ASSERT_EQ(prediction.choices.size(), 3U);  // 4 cores at ratio 2 twice, 8 at ratio 1
  for (const Choice& choice : prediction.choices) {
    EXPECT_EQ(choice.where.ranks, 8U);
  }
  try {
    halving_runs({.model = "amdahl", .ranks = {3}});
    FAIL() << "3 ranks were possible";
  } catch (const PredictError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no time for any machine of the catalogue with 1, 2, 4, 8 ranks a core and the"));
  }
  EXPECT_THROW(halving_runs({.model = "oracle"}), PredictError);
}

TEST(PredictionReport, SaysWhereTimesAreTooMuchAlike) {
  Catalogue catalogue{.currency = "EUR"};
  catalogue.machines.push_back({.name = "small", .cores = 4, .price_per_hour = 1.0});
  const Prediction prediction =
      predict({observed(1, 1, 1000.0), observed(2, 2, 900.0), observed(4, 4, 800.0)}, catalogue, {.model = "amdahl"});
  EXPECT_THAT(prediction_table(prediction),
              HasSubstr("The times span 1.2 times only: with less than 4 times a constant looks right, too"));
}

TEST(PredictionReport, TableAndJsonSayTheSame) {
  const Prediction prediction = halving_runs({.model = "amdahl"});
  const std::string table = prediction_table(prediction);
  EXPECT_THAT(table, HasSubstr("cost EUR"));
  EXPECT_THAT(table, HasSubstr(" x small, weftrun -n "));
  EXPECT_THAT(table, testing::Not(HasSubstr("looks right, too")));  // the times span 4 times
  const nlohmann::json json = nlohmann::json::parse(prediction_json(prediction));
  EXPECT_EQ(json["profiles"].size(), 3U);
  EXPECT_EQ(json["model"], "amdahl");
  EXPECT_EQ(json["choices"].size(), 4U);
  EXPECT_NEAR(json["choices"][0]["times_s"]["amdahl"].get<double>(), 300.0, 1e-6);
  EXPECT_EQ(json["models"].size(), prediction.models.size());
  const std::string page = prediction_page(prediction);
  EXPECT_THAT(page, HasSubstr("Cost against time"));
  EXPECT_THAT(page, HasSubstr("</html>"));
}

}  // namespace
}  // namespace weft::predict
