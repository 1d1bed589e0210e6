#include "lb/load_model.hpp"

#include <gtest/gtest.h>

#include "base/options.hpp"
#include "tests/lb/instances.hpp"

namespace weft::lb {
namespace {

using Work = std::vector<double>;

Work predict(const char* model, const std::vector<LoadInterval>& intervals) {
  const auto made = make_load_model(model);
  LoadHistory history(made->depth());
  for (const LoadInterval& interval : intervals) {
    history.add(interval);
  }
  return made->predict(history);
}

TEST(LoadModel, LastIsTheLastWindow) { EXPECT_EQ(predict("last", {{{1, 2}}, {{3, 4}}}), (Work{3, 4})); }

TEST(LoadModel, MeanAgesByItsFactor) { EXPECT_EQ(predict("mean:0.5", {{{8.0}}, {{4.0}}, {{2.0}}}), (Work{4.0})); }

TEST(LoadModel, TrendGoesOnAlongTheLine) {
  const Work next = predict("trend:4", {{{100, 1}}, {{1, 4}}, {{2, 3}}, {{3, 2}}, {{4, 1}}});
  EXPECT_NEAR(next[0], 5.0, 1e-12);
  EXPECT_NEAR(next[1], 0.0, 1e-12);
}

TEST(LoadModel, TrendOfNoiseIsNearItsMean) {
  const Work next = predict("trend:8", {{{1.1}}, {{0.9}}, {{1.1}}, {{0.9}}, {{0.9}}, {{1.1}}, {{0.9}}, {{1.1}}});
  EXPECT_NEAR(next[0], 1.0, 0.06);
}

TEST(LoadModel, TrendNeverFallsBelowZero) { EXPECT_EQ(predict("trend:3", {{{9}}, {{5}}, {{0}}}), (Work{0})); }

TEST(LoadModel, TheFirstThatKnowsCounts) {
  EXPECT_EQ(predict("user/mean:0.5", {{{8, 8}}, {{4, 4}, {-1.0, 7.0}}}), (Work{6, 7}));
}

TEST(LoadModel, UserAloneFallsBackToTheLastWindow) {
  EXPECT_EQ(predict("user", {{{8, 8}}, {{4, 4}, {-1.0, 7.0}}}), (Work{4, 7}));
  EXPECT_EQ(predict("user", {{{8, 8}}}), (Work{8, 8}));
}

TEST(LoadModel, AnEmptyHistoryPredictsNothing) {
  for (const LoadModelInfo& info : load_models()) {
    EXPECT_TRUE(predict(std::string(info.name).c_str(), {}).empty()) << info.name;
  }
}

TEST(LoadModel, RefusesAnUnknownNameWithTheNearest) {
  try {
    (void)make_load_model("user/tredn");
    FAIL();
  } catch (const base::OptionError& error) {
    EXPECT_STREQ(error.what(), "there is no load model 'tredn'; did you mean 'trend'?");
  }
}

TEST(LoadModel, WorkDoesNotDependOnTheHome) {
  Instance measured = instance({2.0, 2.0}, 2);
  measured.workers[1].speed = 0.5;
  const Work work = measured_work(measured);
  EXPECT_EQ(work, (Work{2.0, 1.0}));
  EXPECT_EQ(with_work(measured, Work{4.0, 3.0}).ranks[1].seconds, 6.0);
}

}  // namespace
}  // namespace weft::lb
