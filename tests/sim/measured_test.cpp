// A recorded run in the form of a simulated one: makespan, loads of workers between two calls of MPI_Migrate.
#include "sim/measured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recordings.hpp"

namespace weft::sim::test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::FloatNear;

// Events are one microsecond apart; TestRecording writes the first ones to describe MPI_COMM_WORLD.
Event computed(std::int64_t ns) { return {.kind = EventKind::compute, .value = ns}; }

TEST(Measured, LoadsOfWorkersAndWhatWasComputedAfterTheLastCall) {
  TestRecording recording(2);  // events at 1 and 2 us
  recording.add(0, computed(100));
  recording.add(0, migrates(700, 0));
  recording.add(1, migrates(300, 0));
  recording.add(0, migrates(400, 0));
  recording.add(1, migrates(600, 0));  // at 7 us
  recording.add(0, computed(2000));
  recording.add(1, computed(1500));  // at 9 us
  const MeasuredRun run = measured_run(recording.finish());
  EXPECT_NEAR(run.result.makespan, 8e-6, 1e-12);
  EXPECT_THAT(run.result.ended, ElementsAre(DoubleNear(7e-6, 1e-12), DoubleNear(8e-6, 1e-12)));
  EXPECT_THAT(run.result.iterations, ElementsAre(ElementsAre(FloatNear(7e-7F, 1e-12F), FloatNear(3e-7F, 1e-12F)),
                                                 ElementsAre(FloatNear(4e-7F, 1e-12F), FloatNear(6e-7F, 1e-12F))));
  EXPECT_THAT(run.result.iteration_ends, ElementsAre(DoubleNear(3.5e-6, 1e-12), DoubleNear(5.5e-6, 1e-12)));
  EXPECT_THAT(run.result.busy, ElementsAre(DoubleNear(3.1e-6, 1e-12), DoubleNear(2.4e-6, 1e-12)));
  EXPECT_EQ(run.platform.workers.size(), 2U);
}

TEST(Measured, WithoutCallsOfMigrateAWorkerWasBusyWhileItsRanksComputed) {
  TestRecording recording(1);
  recording.add(0, computed(2000));
  recording.add(0, computed(500));
  const MeasuredRun run = measured_run(recording.finish());
  EXPECT_NEAR(run.result.makespan, 2e-6, 1e-12);
  EXPECT_THAT(run.result.busy, ElementsAre(DoubleNear(2.5e-6, 1e-12)));
  EXPECT_TRUE(run.result.iterations.empty());
}

TEST(Measured, AFolderWithoutARecordingIsRefused) { EXPECT_THROW(measured_run("/nowhere"), trace::Error); }

}  // namespace
}  // namespace weft::sim::test
