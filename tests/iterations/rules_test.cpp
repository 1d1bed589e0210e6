// The paper's rules (Gimenez-Alventosa 2020, Figs. 2 and 3) against values worked by hand.
#include "iterations/rules.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft::iterations {
namespace {

const Limits kPaper{.checkpoint_seconds = 300, .max_deviation = 0.1, .min_seconds = 3};

WorkerRecord record_of(double done, double speed, double reported_at) {
  WorkerRecord record;
  record.assigned = 500;
  record.done = done;
  record.speed = speed;
  record.reported_at = record.worked = reported_at;
  record.working = true;
  return record;
}

TEST(IterationsRules, IntervalShrinksWhereSpeedChanges) {
  EXPECT_DOUBLE_EQ(next_interval(100, 1.15, kPaper), 95);  // 1 - (0.15 - 0.1)
  EXPECT_DOUBLE_EQ(next_interval(100, 0.85, kPaper), 95);
  EXPECT_DOUBLE_EQ(next_interval(100, 2, kPaper), 80);  // 1 - 0.9 is less than 0.8
}

TEST(IterationsRules, IntervalGrowsWhereSpeedStaysAndNeverBeyondTheLimit) {
  EXPECT_DOUBLE_EQ(next_interval(100, 1, kPaper), 105);         // 1 + (0.05 - 0)
  EXPECT_NEAR(next_interval(100, 1.005, kPaper), 104.5, 1e-9);  // 1 + (0.05 - 0.005)
  EXPECT_DOUBLE_EQ(next_interval(100, 1.05, kPaper), 100);      // neither
  EXPECT_DOUBLE_EQ(next_interval(299, 1, kPaper), 300);
  const Limits wide{.checkpoint_seconds = 300, .max_deviation = 1, .min_seconds = 3};
  EXPECT_DOUBLE_EQ(next_interval(100, 1, wide), 120);  // 1 + 0.5 is more than 1.2
}

TEST(IterationsRules, MeasureIsWorkOverTimeAndReturnsTheRatio) {
  WorkerRecord worker = record_of(100, 10, 10);
  EXPECT_DOUBLE_EQ(add_measure(worker, {.done = 150, .elapsed = 10, .progress = 50, .now = 20}), 0.5);
  EXPECT_DOUBLE_EQ(worker.speed, 5);
  EXPECT_DOUBLE_EQ(worker.done, 150);
  EXPECT_DOUBLE_EQ(worker.worked, 20);
  EXPECT_DOUBLE_EQ(worker.predicted_done(24), 170);
  EXPECT_DOUBLE_EQ(worker.predicted_done(1000), 500);  // what it was assigned
}

TEST(IterationsRules, GuessIsCorrectedByWhatWasExpected) {
  WorkerRecord worker = record_of(100, 10, 10);
  // 50 done where 100 were expected.
  EXPECT_DOUBLE_EQ(add_guess_measure(worker, {.done = 150, .elapsed = 10, .progress = 50, .now = 20}), 0.5);
  EXPECT_DOUBLE_EQ(worker.speed, 5);
}

TEST(IterationsRules, GuessThatWasTooHighIsCorrectedByMeans) {
  WorkerRecord worker = record_of(100, 10, 10);
  // s_1 = 100 / 10, s_2 = 90 / 20.
  EXPECT_DOUBLE_EQ(add_guess_measure(worker, {.done = 90, .elapsed = 10, .progress = -10, .now = 20}), 0.45);
  EXPECT_DOUBLE_EQ(worker.speed, 4.5);
  EXPECT_DOUBLE_EQ(worker.done, 90);
}

TEST(IterationsRules, GuessOfSpeedZeroIsMeasuredAsAWorker) {
  WorkerRecord worker = record_of(100, 0, 10);
  EXPECT_DOUBLE_EQ(add_guess_measure(worker, {.done = 130, .elapsed = 10, .progress = 30, .now = 20}), 1);
  EXPECT_DOUBLE_EQ(worker.speed, 3);
}

TEST(IterationsRules, MeanSpeedForgets) {
  MeanSpeed speed;
  EXPECT_FALSE(speed.known());
  speed.add(100, 10, 20);
  EXPECT_DOUBLE_EQ(speed.get(), 10);
  speed.add(50, 10, 20);
  EXPECT_NEAR(speed.get(), (60.65 + 50) / (6.065 + 10), 1e-3);  // exp(-0.5) = 0.6065
}

TEST(IterationsRules, CheckpointSharesByReportedWorkAndSpeed) {
  std::vector<WorkerRecord> workers{record_of(100, 10, 0), record_of(300, 30, 0)};
  // Predicted after 5 s: 150 + 450; t_res = 400 / 40.
  const Checkpoint found = checkpoint(workers, 1000, 5, kPaper);
  EXPECT_DOUBLE_EQ(found.seconds_left, 10);
  EXPECT_TRUE(found.reassigned);
  EXPECT_DOUBLE_EQ(workers[0].assigned, 250);  // 100 + 10/40 (1000 - 400)
  EXPECT_DOUBLE_EQ(workers[1].assigned, 750);  // 300 + 30/40 (1000 - 400)
}

TEST(IterationsRules, CheckpointLeavesWorkersThatDoNotWork) {
  std::vector<WorkerRecord> workers{record_of(100, 10, 0), record_of(300, 30, 0)};
  workers[1].working = false;
  const Checkpoint found = checkpoint(workers, 1000, 0, kPaper);
  EXPECT_DOUBLE_EQ(found.seconds_left, 60);  // (1000 - 400) / 10
  EXPECT_DOUBLE_EQ(workers[0].assigned, 700);
  EXPECT_DOUBLE_EQ(workers[1].assigned, 500);
}

TEST(IterationsRules, CheckpointChangesNothingShortBeforeTheEnd) {
  std::vector<WorkerRecord> workers{record_of(100, 10, 0), record_of(300, 30, 0)};
  const Checkpoint found = checkpoint(workers, 520, 0, kPaper);  // 120 / 40 = t_min
  EXPECT_DOUBLE_EQ(found.seconds_left, 3);
  EXPECT_FALSE(found.reassigned);
  EXPECT_DOUBLE_EQ(workers[0].assigned, 500);
}

TEST(IterationsRules, CheckpointEndsWhereAllIsDone) {
  std::vector<WorkerRecord> workers{record_of(100, 10, 0), record_of(300, 30, 0)};
  EXPECT_TRUE(checkpoint(workers, 400, 0, kPaper).all_done);
  EXPECT_DOUBLE_EQ(workers[0].assigned, 100);
  EXPECT_DOUBLE_EQ(workers[1].assigned, 300);
}

TEST(IterationsRules, FinishIsPredictedFromWhatIsAssigned) {
  const std::vector<WorkerRecord> workers{record_of(100, 10, 0), record_of(200, 30, 0)};
  const Finish finish = predicted_finish(workers, 5);
  EXPECT_DOUBLE_EQ(finish.latest, 35);   // (500 - 150) / 10
  EXPECT_DOUBLE_EQ(finish.earliest, 5);  // (500 - 350) / 30
}

}  // namespace
}  // namespace weft::iterations
