// The barrier of a balancing step in isolation: one rank opens it, the others wait.
#include "runtime/lbstep/step_barrier.hpp"

#include <atomic>
#include <memory>

#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

class StepBarriers : public JobTest {
 protected:
  // `opens` runs as rank 0. Each of the others waits for every generation up to `last`. Returns how many waits ended.
  std::uint32_t run_waits(std::uint32_t ranks, std::uint64_t last, const std::function<void(StepBarrier&)>& opens) {
    std::unique_ptr<StepBarrier> barrier;
    std::atomic<std::uint32_t> ended = 0;
    run(ranks, [&](Rank& me) {
      if (number(me.id) == 0) {
        barrier = std::make_unique<StepBarrier>(me.job.workers());
      }
      me.teams[0]->barrier(me);
      if (number(me.id) == 0) {
        opens(*barrier);
      } else {
        for (std::uint64_t generation = 1; generation <= last; ++generation) {
          barrier->wait(me, generation);
          EXPECT_TRUE(barrier->is_open(generation));
          ++ended;
        }
      }
      me.teams[0]->barrier(me);
      return 0;
    });
    return ended;
  }
};

// The item of the first opening is still in the workers' inboxes when the next ones come.
TEST_P(StepBarriers, OpeningsThatFollowAtOnceWakeThoseWhoWaitForTheLast) {
  EXPECT_EQ(run_waits(9, 3,
                      [](StepBarrier& barrier) {
                        for (std::uint64_t generation = 1; generation <= 3; ++generation) {
                          barrier.open(generation);
                        }
                      }),
            24U);
}

TEST_P(StepBarriers, EachOpeningWakesThoseWhoCameBeforeAndAfterTheOneBefore) {
  constexpr std::uint64_t kGenerations = 2000;
  EXPECT_EQ(run_waits(5, kGenerations,
                      [](StepBarrier& barrier) {
                        for (std::uint64_t generation = 1; generation <= kGenerations; ++generation) {
                          barrier.open(generation);
                          if (generation % 3 == 0) {
                            Worker::current()->yield();
                          }
                        }
                      }),
            4 * kGenerations);
}

TEST_P(StepBarriers, StaysOpenForGood) {
  EXPECT_EQ(run_waits(3, 50,
                      [](StepBarrier& barrier) {
                        barrier.open_for_good();
                        barrier.open(1);
                      }),
            100U);
}

INSTANTIATE_TEST_SUITE_P(Workers, StepBarriers,
                         testing::Values(Setting{1, "none"}, Setting{2, "none"}, Setting{4, "none"}), name_of);

}  // namespace
}  // namespace weft::runtime
