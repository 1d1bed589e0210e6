#include "runtime/job/job.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>

#include "base/options.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::runtime {
namespace {

class Jobs : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Jobs, kSettings, name_of);

TEST_P(Jobs, EndWithTheLargestExitCode) {
  EXPECT_EQ(run(5, [](Rank& me) { return number(me.id) == 3 ? 7 : static_cast<int>(number(me.id)); }), 7);
}

TEST_P(Jobs, KeepTheEightBitsOfAnExitCodeThatTheSystemKeeps) {
  EXPECT_EQ(run(3, [](Rank& me) { return number(me.id) == 1 ? -1 : 2; }), 255);
  EXPECT_EQ(run(3, [](Rank& me) { return number(me.id) == 1 ? 256 : 2; }), 2);
}

TEST_P(Jobs, EndARankFromAnyDepthOfItsStack) {
  EXPECT_EQ(run(3, [](Rank& me) -> int { end_rank(me, 4); }), 4);
}

TEST_P(Jobs, MoveEveryRankAtEveryStepUnderRotate) {
  run(6, [](Rank& me) {
    const std::uint32_t workers = me.job.worker_count();
    for (int step = 0; step < 50; ++step) {
      const std::uint32_t before = number(Worker::current()->id());
      const bool moved = me.job.migrate(me);
      const std::uint32_t after = number(Worker::current()->id());
      if (me.job.config().lb == "rotate") {
        EXPECT_EQ(after, (before + 1) % workers);
        EXPECT_EQ(moved, workers > 1);
      } else {
        EXPECT_EQ(after, before);
      }
      EXPECT_EQ(current_rank(), &me);
    }
    return 0;
  });
}

TEST(JobDeathTest, NeverAbortsWithACodeThatSaysAllIsWell) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  FunctionProgram program([](Rank&) { return 0; });
  Job job({}, program);
  EXPECT_EXIT(job.abort(0, "why"), testing::ExitedWithCode(1), "why");
  EXPECT_EXIT(job.abort(256, "why"), testing::ExitedWithCode(1), "why");
  EXPECT_EXIT(job.abort(-1, "why"), testing::ExitedWithCode(255), "why");
}

TEST(JobDeathTest, AbortsOnceWhenAllRanksDo) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto abort_all = [] {
    FunctionProgram program([](Rank& me) -> int { me.job.abort(3, "the end."); });
    JobConfig config;
    config.ranks = 4;
    config.workers = 4;
    config.before_abort = [] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
    Job(config, program).run();
  };
  EXPECT_EXIT(abort_all(), testing::ExitedWithCode(3), "^the end.\n$");
}

TEST(JobDeathTest, ReportsADeadlockWithEveryRanksCall) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto deadlocked = [] {
    FunctionProgram program([](Rank& me) {
      me.call = "MPI_Recv";
      int value = 0;
      Request request;
      start_receive(me, {1, static_cast<int>(1 - number(me.id)), 42}, {&value, sizeof value}, request);
      wait(me, request);
      return 0;
    });
    JobConfig config;
    config.ranks = 2;
    config.workers = 2;
    Job job(config, program);
    job.run();
  };
  EXPECT_EXIT(
      deadlocked(), testing::ExitedWithCode(1),
      "deadlock: all 2 ranks are blocked(.|\n)*rank 0 in MPI_Recv: waits from rank 1, tag 42(.|\n)*rank 1 in MPI_Recv");
}

TEST(JobDeathTest, ReportsADeadlockWhenSomeRanksHaveEnded) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto deadlocked = [] {
    FunctionProgram program([](Rank& me) {
      if (number(me.id) != 0) {
        me.teams.front()->barrier(me);
      }
      return 0;
    });
    Everyone everyone;
    JobConfig config;
    config.ranks = 3;
    config.workers = 2;
    Job job(config, program, &everyone);
    job.run();
  };
  EXPECT_EXIT(deadlocked(), testing::ExitedWithCode(1), "all 2 ranks are blocked.*1 has ended");
}

TEST(Job, RefusesAnUnknownStrategyAndNumbersThatMakeNoSense) {
  FunctionProgram program([](Rank&) { return 0; });
  JobConfig config;
  config.lb = "magic";
  EXPECT_THROW(Job(config, program), base::OptionError);
  config.lb = "none";
  config.lb_when = "never";
  EXPECT_THROW(Job(config, program), base::OptionError);
  config.lb_when = "every";
  config.ranks = 0;
  EXPECT_THROW(Job(config, program), std::invalid_argument);
  config.ranks = 1;
  config.lb_period = 0;
  EXPECT_THROW(Job(config, program), std::invalid_argument);
}

// Steps in between, for checkpoints, take neither loads nor requests for a worker.
TEST(Job, BalancesByWhatRanksHaveDoneSinceTheLastDecision) {
  constexpr std::uint32_t kRanks = 8;
  constexpr std::uint32_t kPeriod = 4;
  std::array<std::atomic<int>, 2> busy{};  // by worker
  std::atomic<int> moved_as_wished = 0;
  FunctionProgram program([&](Rank& me) {
    const bool is_busy = number(me.id) < kRanks / 2;
    const auto here = [] { return number(Worker::current()->id()); };
    for (std::uint32_t call = 1; call <= kPeriod; ++call) {
      if (call == 1) {
        me.load.declare(is_busy ? 100 : 0.1);
      }
      me.job.migrate(me);
    }
    busy[here()] += is_busy ? 1 : 0;
    const std::uint32_t other = 1 - here();
    for (std::uint32_t call = 1; call <= kPeriod; ++call) {
      if (call == 1) {
        me.wanted_worker = other;
      }
      me.job.migrate(me);
    }
    moved_as_wished += here() == other ? 1 : 0;
    return 0;
  });
  JobConfig config;
  config.ranks = kRanks;
  config.workers = 2;
  config.lb = "greedy";
  config.lb_period = kPeriod;
  config.checkpoint = testing::TempDir();
  Everyone everyone;
  Job job(config, program, &everyone);
  EXPECT_EQ(job.run(), 0);
  EXPECT_EQ(busy[0], 2);
  EXPECT_EQ(busy[1], 2);
  EXPECT_EQ(moved_as_wished, static_cast<int>(kRanks));
}

TEST(Job, SleepsWhileAllWaitForARankThatComputes) {
  FunctionProgram program([](Rank& me) {
    if (number(me.id) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    me.teams.front()->barrier(me);
    return 0;
  });
  JobConfig config;
  config.ranks = 4;
  config.workers = 4;
  EXPECT_TRUE(undisturbed(5, [&] {
    Everyone everyone;
    Job job(config, program, &everyone);
    const std::clock_t before = std::clock();
    EXPECT_EQ(job.run(), 0);
    return off("the processor time of idle workers", static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0,
               0.1);
  }));
}

}  // namespace
}  // namespace weft::runtime
