// The replay model, with a recording made here.
#include "predict/replay_predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "runs.hpp"
#include "tests/sim/recordings.hpp"

namespace weft::predict {
namespace {

TEST(ReplayPredictor, TheNearestRecordingOnAnotherMachine) {
  sim::test::TestRecording recording(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    recording.call(rank, "MPI_Comm_rank", {}, 3'000'000'000);
  }
  std::vector<Observation> runs{test::observed(2, 2, 3.0)};
  runs.front().profile.name = recording.finish();
  std::size_t done = 0;
  const PredictorKind kind = replay_kind(sim::make_platform({}), [&done](std::size_t count) { done = count; });
  const auto replay = kind.fit(runs);
  EXPECT_NEAR(replay->time(test::cores_of(2, 2)), 3.0, 1e-3);
  EXPECT_NEAR(replay->time(test::cores_of(2, 16, 2.0)), 1.5, 1e-3);
  EXPECT_NEAR(replay->time(test::cores_of(1, 2)), 6.0, 1e-3);
  EXPECT_EQ(done, 3U);
  EXPECT_TRUE(std::isnan(replay->time(test::cores_of(4, 4))));  // more cores than ranks were recorded
}

TEST(ReplayPredictor, WhatCannotBeReplayedHasNoAnswer) {
  sim::test::TestRecording recording(1);
  recording.call(0, "MPI_Win_create");
  std::vector<Observation> runs{test::observed(1, 1, 3.0)};
  runs.front().profile.name = recording.finish();
  const PredictorKind kind = replay_kind(sim::make_platform({}), [](std::size_t) {});
  EXPECT_TRUE(std::isnan(kind.fit(runs)->time(test::cores_of(1, 1))));
}

}  // namespace
}  // namespace weft::predict
