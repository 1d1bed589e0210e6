// Ranks that sleep and yield without the runtime's messages.
#include "runtime/sched/sleeping_ranks.hpp"

#include <atomic>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/pauses.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

constexpr MonotonicTime kMillisecond = 1000000;

class Sleeping : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Sleeping, kSettings, name_of);

TEST_P(Sleeping, OthersRunMeanwhile) {
  constexpr std::uint32_t kRanks = 6;
  std::atomic<std::uint32_t> turn = 0;
  run(kRanks, [&](Rank& me) {
    for (std::uint32_t round = 0; round < 3; ++round) {
      while (turn != round * kRanks + number(me.id)) {
        EXPECT_NE(sleep_until(monotonic_now() + kMillisecond / 10), Pause::refused);
      }
      ++turn;
      while (turn <= round * kRanks + number(me.id)) {
        let_others_run();
      }
    }
    return 0;
  });
  EXPECT_EQ(turn, 3 * kRanks);
}

TEST_P(Sleeping, NobodyWakesBeforeItsTime) {
  run(8, [&](Rank& me) {
    for (const MonotonicTime length : {MonotonicTime{0}, kMillisecond / 100, (8 - number(me.id)) * kMillisecond}) {
      const MonotonicTime end = monotonic_now() + length;
      EXPECT_EQ(sleep_until(end), Pause::done);
      EXPECT_GE(monotonic_now(), end);
    }
    return 0;
  });
}

// All others wait for its messages: that is no deadlock.
TEST_P(Sleeping, TheJobWaitsForTheLastSleeper) {
  run(4, [&](Rank& me) {
    if (number(me.id) == 0) {
      sleep_until(monotonic_now() + 100 * kMillisecond);
    }
    me.teams.front()->barrier(me);
    return 0;
  });
}

TEST_P(Sleeping, AnInterruptionEndsOneRanksSleep) {
  std::atomic<std::uint32_t> asleep = 0;
  run(4, [&](Rank& me) {
    constexpr MonotonicTime kLong = MonotonicTime{3600} * 1000 * kMillisecond;
    if (number(me.id) == 0) {
      while (asleep != 3) {
        sleep_until(monotonic_now() + kMillisecond);
      }
      for (std::uint32_t r = 1; r < 4; ++r) {
        for (const std::uint32_t before = asleep; asleep == before;) {  // it may not have been asleep yet
          interrupt_sleep(me.job.rank(r));
          sleep_until(monotonic_now() + kMillisecond);
        }
      }
      return 0;
    }
    ++asleep;
    EXPECT_EQ(sleep_until(monotonic_now() + kLong), Pause::interrupted);
    --asleep;
    return 0;
  });
}

TEST_P(Sleeping, NoRankIsSuspendedWhereItMustNot) {
  run(4, [&](Rank& /*me*/) {
    const SuspensionGuard here;
    EXPECT_EQ(sleep_until(monotonic_now() + kMillisecond), Pause::refused);
    EXPECT_EQ(let_others_run(), Pause::refused);
    return 0;
  });
}

TEST(SleepingRanks, TheEarliestComesFirstAndOfOneTimeTheFirst) {
  std::array<ExecutionContext, 4> strands;
  SleepingRanks sleepers;
  EXPECT_EQ(sleepers.next(), kNever);
  sleepers.add(strands[0], 30);
  sleepers.add(strands[1], 10);
  sleepers.add(strands[2], 30);
  sleepers.add(strands[3], 20);
  EXPECT_EQ(sleepers.next(), 10);
  EXPECT_EQ(sleepers.take_due(9), nullptr);
  EXPECT_EQ(sleepers.take_due(30), &strands[1]);
  EXPECT_EQ(sleepers.take_due(30), &strands[3]);
  EXPECT_EQ(sleepers.take_due(30), &strands[0]);
  EXPECT_EQ(sleepers.take_due(30), &strands[2]);
  EXPECT_FALSE(sleepers.any());
  EXPECT_FALSE(sleepers.is_due());
}

TEST(Pauses, AThreadWithoutARankIsRefused) {
  EXPECT_EQ(let_others_run(), Pause::refused);
  EXPECT_EQ(sleep_until(monotonic_now()), Pause::refused);
}

}  // namespace
}  // namespace weft::runtime
