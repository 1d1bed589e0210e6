// How long a worker with nothing to do polls before it sleeps.
#include <chrono>

#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class Idle : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Idle, testing::Values(Setting{2, "none"}), name_of);

// Rank 1 waits for rank 0, 2 ms at a time: longer than a worker polls at first, shorter than it may at most. A round is
// quiet where nobody else had rank 1's core before it or in it, nor kept rank 0 for long: then its worker polls on. In
// one round it may sleep all the same, by which it learns how long that takes.
TEST_P(Idle, APatientWorkerPollsThroughShortPauses) {
  using std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(2);
  constexpr auto kLongest = std::chrono::microseconds(1000000);
  constexpr int kEnough = 20;
  JobConfig config;
  config.spin_us = 50;
  config.idle_spin_us = kLongest.count();
  int quiet_rounds = 0;  // rank 1's
  int sleeps = 0;        // in those
  std::atomic<bool> over = false;
  run(
      2,
      [&](Rank& me) {
        const auto give_up = steady_clock::now() + std::chrono::seconds(5);
        const WorkerMeter& meter = Worker::current()->meter();
        while (!over) {
          const auto began = steady_clock::now();
          const double slept = meter.read()->slept;
          const bool was_quiet = meter.undisturbed(ticks());
          while (number(me.id) == 0 && steady_clock::now() - began < kPause) {
          }
          me.teams.front()->barrier(me);
          if (number(me.id) == 1) {
            const bool sleeps_now = meter.read()->slept != slept;
            if (was_quiet && meter.undisturbed(ticks()) && steady_clock::now() - began < kLongest / 2) {
              ++quiet_rounds;
              sleeps += sleeps_now ? 1 : 0;
            }
            over = quiet_rounds >= kEnough || steady_clock::now() > give_up;
          }
          me.teams.front()->barrier(me);
        }
        return 0;
      },
      config);
  if (quiet_rounds < kEnough) {
    GTEST_SKIP() << "others had the core: " << quiet_rounds << " quiet rounds";
  }
  EXPECT_LE(sleeps, 1);
}

}  // namespace
}  // namespace weft::runtime
