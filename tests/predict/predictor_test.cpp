// Profiles that are refused, simple models, and errors when a size is left out.
#include "predict/predictor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "predict/leave_one_out.hpp"
#include "predict/weft_model.hpp"
#include "runs.hpp"

namespace weft::predict {
namespace {

using test::cores_of;
using test::observed;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::vector<Observation>& observations) {
  try {
    check_observations(observations);
  } catch (const PredictError& error) {
    return error.what();
  }
  return "";
}

PredictorKind kind_named(std::string_view name) {
  const std::vector<PredictorKind> kinds = predictors();
  return kinds[index_of(name, kinds)];
}

TEST(Observations, TooFewOrContradictoryOnesAreRefused) {
  const std::vector<Observation> good{observed(2, 2, 8.0), observed(4, 4, 4.0), observed(8, 4, 4.1)};
  EXPECT_EQ(refusal(good), "");
  EXPECT_EQ(refusal({}),
            "profiles of at least 3 numbers of ranks are needed, there are 0; record 3 more with weftrun "
            "-n N --record");
  EXPECT_THAT(refusal({good[0], good[1], good[0]}), HasSubstr("there are 2 (2, 4); record 1 more"));
  std::vector<Observation> runs = good;
  runs.push_back(observed(4, 4, 5.5));
  EXPECT_THAT(refusal(runs), HasSubstr("4.rec and 4.rec contradict each other: 4 ranks on 4 cores took 4 and 5.5 s"));
  runs.back().where.machine.name = "slow";
  EXPECT_EQ(refusal(runs), "");
  runs = good;
  runs[1].profile.program = "other";
  EXPECT_EQ(refusal(runs), "2.rec is a run of app, 4.rec of other; profiles are of one program");
  runs = good;
  runs[2].profile.exit_code = 3;
  EXPECT_THAT(refusal(runs), HasSubstr("8.rec: the run failed with exit code 3"));
  runs = good;
  runs[2].profile.rank_computing.clear();
  EXPECT_THAT(refusal(runs), HasSubstr("no rank computed anything"));
  EXPECT_DOUBLE_EQ(span_of_times(good), 2.0);
}

TEST(Configuration, RanksLieInBlocks) {
  const Configuration where{.machine = {.cores = 2}, .instances = 3, .ranks = 8};
  EXPECT_THAT(where.ranks_on(), ElementsAre(2, 3, 3));
  EXPECT_EQ(where.cores(), 6U);
  EXPECT_DOUBLE_EQ(where.ratio(), 8.0 / 6.0);
  EXPECT_EQ(cores_of(8, 2).busy_cores(), 2U);
}

TEST(Predictors, TheNearestSizeByCoresThenByRanks) {
  const std::vector<Observation> runs{observed(2, 2, 8.0), observed(8, 2, 7.0), observed(8, 8, 3.0)};
  const auto nearest = fit_nearest(runs);
  EXPECT_EQ(nearest->time(cores_of(3, 3)), 8.0);
  EXPECT_EQ(nearest->time(cores_of(3, 24)), 7.0);
  EXPECT_EQ(nearest->time(cores_of(64, 64)), 3.0);
}

TEST(Predictors, ScalingLawsFindTheirParameters) {
  std::vector<Observation> amdahl;
  std::vector<Observation> usl;
  for (const std::uint32_t p : {1U, 2U, 4U, 8U}) {
    amdahl.push_back(observed(p, p, 12.0 / p + 3.0));
    usl.push_back(observed(p, p, 12.0 / p + 3.0 + 0.5 * (p - 1)));
  }
  EXPECT_NEAR(fit_amdahl(amdahl)->time(cores_of(16, 16)), 3.75, 1e-9);
  EXPECT_NEAR(fit_amdahl(amdahl)->time(cores_of(16, 16, 2.0)), 1.875, 1e-9);
  EXPECT_NEAR(fit_usl(usl)->time(cores_of(16, 16)), 11.25, 1e-6);
  EXPECT_THAT(fit_amdahl(amdahl)->summary(), HasSubstr("12/p + 3 s"));
}

TEST(Predictors, SeerGetsWhatTheProfileSays) {
  // Nothing waits, so T = K / min(n, c).
  const std::vector<Observation> runs{observed(1, 1, 12.0), observed(2, 2, 6.0), observed(4, 4, 3.0)};
  EXPECT_NEAR(fit_seer(runs)->time(cores_of(8, 8)), 1.5, 1e-6);
  EXPECT_NEAR(fit_seer(runs)->time(cores_of(8, 16, 2.0)), 0.75, 1e-6);
  EXPECT_THAT(fit_seer(runs)->summary(), HasSubstr("no profile over several hosts"));
}

TEST(Predictors, UnknownNamesAreRefused) {
  const std::vector<PredictorKind> kinds = predictors();
  EXPECT_EQ(kinds[index_of("usl", kinds)].name, "usl");
  EXPECT_THROW(index_of("oracle", kinds), PredictError);
}

TEST(LeaveOneOut, ErrorsOfSizesThatWereLeftOut) {
  const std::vector<Observation> runs{observed(1, 1, 16.0), observed(2, 2, 8.0), observed(4, 4, 4.0)};
  const Validation amdahl = leave_one_out(kind_named("amdahl"), runs, LeaveOut::size);
  EXPECT_NEAR(amdahl.mape, 0.0, 1e-9);
  EXPECT_NEAR(amdahl.worst_log, 0.0, 1e-9);
  // The nearest sizes are 2, then 1 or 4 (the first of the two), then 2.
  const Validation nearest = leave_one_out(kind_named("nearest"), runs, LeaveOut::size);
  EXPECT_EQ(nearest.runs[0].predicted, 8.0);
  EXPECT_EQ(nearest.runs[1].predicted, 16.0);
  EXPECT_EQ(nearest.runs[2].predicted, 8.0);
  EXPECT_NEAR(nearest.mape, (0.5 + 1.0 + 1.0) / 3.0, 1e-12);
  EXPECT_NEAR(nearest.worst_log, std::log(2.0), 1e-12);
}

TEST(LeaveOneOut, RunsOfOneNumberOfRanksAreLeftOutTogether) {
  const std::vector<Observation> runs{observed(1, 1, 16.0), observed(2, 2, 8.0), observed(2, 1, 15.0),
                                      observed(4, 4, 4.0)};
  const Validation nearest = leave_one_out(kind_named("nearest"), runs, LeaveOut::size);
  EXPECT_EQ(nearest.runs[1].predicted, 16.0);
  EXPECT_EQ(nearest.runs[2].predicted, 16.0);
}

TEST(LeaveOneOut, RunsOfOneMachineAreLeftOutTogether) {
  std::vector<Observation> runs{observed(1, 1, 16.0), observed(2, 2, 8.0), observed(4, 4, 4.0)};
  EXPECT_FALSE(can_leave_out(LeaveOut::machine, runs));
  runs.push_back(observed(4, 4, 8.0));
  runs.back().where.machine.name = "slow";
  ASSERT_TRUE(can_leave_out(LeaveOut::machine, runs));
  const Validation nearest = leave_one_out(kind_named("nearest"), runs, LeaveOut::machine);
  EXPECT_EQ(nearest.runs[0].predicted, 8.0);
  EXPECT_EQ(nearest.runs[2].predicted, 8.0);
  EXPECT_EQ(nearest.runs[3].predicted, 4.0);
}

TEST(Predictors, AQuotaMakesACoreSlower) {
  const std::vector<Observation> runs{observed(1, 1, 12.0), observed(2, 2, 6.0), observed(4, 4, 3.0)};
  Configuration half = cores_of(2, 2);
  half.machine.quota = 0.5;
  EXPECT_NEAR(fit_amdahl(runs)->time(half), 12.0, 1e-6);
  EXPECT_NEAR(fit_seer(runs)->time(half), 12.0, 1e-6);
  EXPECT_NEAR(fit_weft(runs)->time(half), 12.0, 0.2);
}

TEST(LeaveOneOut, AModelWithoutAnAnswerHasNoError) {
  const PredictorKind silent{.name = "silent", .what = "", .fit = [](std::span<const Observation>) {
                               class Silent : public Predictor {
                                 double time(const Configuration&) const override { return std::nan(""); }
                               };
                               return std::unique_ptr<Predictor>(new Silent);
                             }};
  const std::vector<Observation> runs{observed(1, 1, 16.0), observed(2, 2, 8.0)};
  EXPECT_TRUE(std::isnan(leave_one_out(silent, runs, LeaveOut::size).mape));
  EXPECT_TRUE(std::isnan(leave_one_out(silent, runs, LeaveOut::size).worst_log));
}

}  // namespace
}  // namespace weft::predict
