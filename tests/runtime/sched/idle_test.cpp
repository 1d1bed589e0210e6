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

// Rank 1 waits for rank 0, 2 ms at a time: longer than a worker polls at first, shorter than its patience.
TEST_P(Idle, APatientWorkerPollsThroughShortPauses) {
  constexpr auto kPause = std::chrono::milliseconds(2);
  constexpr int kEnough = 5;
  JobConfig config;
  config.spin_us = 50;
  config.idle_spin_us = 1000000;
  std::atomic<int> without_sleep = 0;
  std::atomic<bool> undisturbed = false;
  std::atomic<bool> over = false;
  run(
      2,
      [&](Rank& me) {
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const WorkerMeter& meter = Worker::current()->meter();
        while (!over) {
          const double slept = meter.read()->slept;
          if (number(me.id) == 0) {
            for (const auto began = std::chrono::steady_clock::now();
                 std::chrono::steady_clock::now() - began < kPause;) {
            }
          }
          me.teams.front()->barrier(me);
          if (number(me.id) == 1) {
            undisturbed = undisturbed || meter.undisturbed(ticks());
            without_sleep += meter.read()->slept == slept ? 1 : 0;
            over = without_sleep >= kEnough || std::chrono::steady_clock::now() > patience;
          }
          me.teams.front()->barrier(me);
        }
        return 0;
      },
      config);
  if (!undisturbed) {
    GTEST_SKIP() << "others had the core all the time";
  }
  EXPECT_GE(without_sleep, kEnough);
}

}  // namespace
}  // namespace weft::runtime
