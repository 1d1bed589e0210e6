// The factor on cold caches that makes a replay as long as the recorded run.
#include "sim/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recordings.hpp"
#include "sim/platform_file.hpp"

namespace weft::sim::test {
namespace {

using testing::HasSubstr;

const char* const kPlatform = R"({
  "weft_platform": 1,
  "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000},
             "hosts": [{"name": "here", "count": 2, "cores": 4}]}],
  "cold_caches": [{"computing_us": 1, "message_us": 2, "switch_us": 1, "copy_mb_per_s": 1000}]
})";
const char* const kWithoutColdCaches = R"({
  "weft_platform": 1,
  "sites": [{"link": {"overhead_us": 1, "latency_us": 20, "bandwidth_mb_per_s": 1000}, "hosts": [{"cores": 2}]}]
})";

// Two ranks on a worker each, which compute for `ns` before each call and exchange messages in turn. A turn has ten
// events, each of which took a microsecond in the run.
void record_turns(TestRecording& recording, int turns, std::int64_t ns) {
  for (int i = 0; i < turns; ++i) {
    recording.call(0, "MPI_Send", {sent(1, 1000)}, ns);
    recording.call(1, "MPI_Recv", {received(0, 1000)}, ns);
    recording.call(1, "MPI_Send", {sent(0, 1000)}, 0);
    recording.call(0, "MPI_Recv", {received(1, 1000)}, 0);
  }
}

ColdFit fit(const std::string& recording, const std::string& platform = kPlatform) {
  return fit_cold_caches(recording, PlatformFile(platform, "p.json"), [](unsigned) {});
}

TEST(ColdFit, ReplaysTakeAsLongAsTheRun) {
  TestRecording recording(2);
  record_turns(recording, 50, 1000);
  const std::string folder = recording.finish();
  unsigned replays = 0;
  const ColdFit found =
      fit_cold_caches(folder, PlatformFile(kPlatform, "p.json"), [&](unsigned done) { replays = done; });
  EXPECT_NEAR(found.recorded, 50 * 14e-6, 2e-6);
  EXPECT_LT(found.before, 0.9 * found.recorded);
  EXPECT_GT(found.factor, 1.0);
  EXPECT_NEAR(found.after, found.recorded, 2e-3 * found.recorded);
  EXPECT_TRUE(found.is_determined);
  EXPECT_LE(replays, kMostFitReplays);
  // The file that is written has the same costs.
  const ColdFit again = fit(folder, with_cold_factor(kPlatform, found.factor));
  EXPECT_NEAR(again.before, found.after, 1e-6 * found.after);
  EXPECT_NEAR(again.factor, 1.0, 0.01);
  const ColdFit less = fit(folder, with_cold_factor(kPlatform, 2 * found.factor));
  EXPECT_GT(less.before, less.recorded);
  EXPECT_NEAR(less.factor, 0.5, 0.01);
}

TEST(ColdFit, ReplaysWhereTheRanksWere) {
  TestRecording recording(2);
  record_turns(recording, 50, 1000);
  const Seconds apart = fit(recording.finish()).before;
  recording.placement = {0, 0};
  EXPECT_GT(fit(recording.finish()).before, 1.2 * apart);
}

// Of a replay that is too long or too short for any factor.
void expect_undetermined(std::int64_t ns, bool is_long) {
  TestRecording recording(2);
  record_turns(recording, 5, ns);
  const ColdFit found = fit(recording.finish());
  EXPECT_FALSE(found.is_determined);
  EXPECT_EQ(found.factor, 1.0);
  EXPECT_EQ(found.after, found.before);
  EXPECT_EQ(found.before > found.recorded, is_long);
}

TEST(ColdFit, MayNotBeDetermined) {
  expect_undetermined(100000, true);
  expect_undetermined(1, false);
}

TEST(ColdFit, RefusesRunsWithBalancingAndPlatformsWithoutColdCaches) {
  TestRecording recording(2);
  record_turns(recording, 5, 1000);
  EXPECT_THROW(fit(recording.finish(), kWithoutColdCaches), PlatformError);
  recording.lb = "refine";
  try {
    fit(recording.finish());
    FAIL() << "a run with balancing was not refused";
  } catch (const WorkloadError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it was recorded with --lb refine"));
  }
}

}  // namespace
}  // namespace weft::sim::test
