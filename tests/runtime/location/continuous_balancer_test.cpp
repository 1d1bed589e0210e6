// The continuous balancer: ranks move to the workers of a plan without balancing steps, and when temporary moves pay.
#include "runtime/location/continuous_balancer.hpp"

#include <atomic>
#include <chrono>

#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

constexpr auto kTimeLimit = std::chrono::seconds(60);

class Placed : public JobTest {
 protected:
  // No rank runs so long at a time that it would be moved temporarily. `before` is called before the job runs.
  int run_planned(std::uint32_t ranks, const std::function<int(Rank&)>& body,
                  const std::function<void(Job&)>& before = nullptr) {
    JobConfig config;
    config.lb_continuous = true;
    config.lb_continuous_us = 1000;
    config.spin_us = 0;   // idle workers request a plan at once
    config.bind = false;  // so that plans ignore what else runs on the machine
    return run(ranks, body, config, before);
  }

  // Time steps in which the first two ranks, which share a worker at first, compute for 200 µs and the others nothing;
  // until `over` or for too long.
  int compute_until(const std::function<bool(const Job&)>& over, const std::function<void(Rank&)>& prepare) {
    std::atomic<bool> ends = false;
    return run_planned(4 * GetParam().workers, [&](Rank& me) {
      prepare(me);
      const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
      const auto work = static_cast<std::uint64_t>(200e-6 * ticks_per_second());
      while (!ends) {
        if (number(me.id) < 2) {
          for (const std::uint64_t began = ticks(); ticks() - began < work;) {
          }
        }
        me.teams.front()->barrier(me);
        if (number(me.id) == 0) {
          ends = over(me.job) || std::chrono::steady_clock::now() > deadline;
        }
        me.teams.front()->barrier(me);
      }
      return 0;
    });
  }
};
INSTANTIATE_TEST_SUITE_P(Settings, Placed, testing::Values(Setting{2, "none"}, Setting{3, "none"}), name_of);

TEST_P(Placed, HeavyRanksComeToLiveApart) {
  bool apart = false;
  std::uint64_t placed = 0;
  compute_until(
      [&](const Job& job) {
        apart = job.rank(0).worker.load() != job.rank(1).worker.load();
        placed = job.continuous_balancer()->counts().planned_moves;
        return apart && placed >= 1;
      },
      [](Rank&) {});
  EXPECT_TRUE(apart);
  EXPECT_GE(placed, 1U);
}

TEST_P(Placed, ARankThatMayNotMoveStays) {
  bool apart = false;
  std::atomic<bool> stayed = true;
  compute_until(
      [&](const Job& job) {
        stayed = stayed && job.rank(0).worker.load() == &job.worker(0);
        apart = job.rank(1).worker.load() != &job.worker(0);
        return apart;
      },
      [](Rank& me) { me.migratable = number(me.id) != 0; });
  EXPECT_TRUE(apart);
  EXPECT_TRUE(stayed);
}

// The main thread, which makes plans, waits for the end of the test: all targets are the test's.
TEST_P(Placed, AWishComesTrueOnce) {
  const std::uint32_t ranks = 4 * GetParam().workers;
  std::atomic<bool> ends = false;
  std::atomic<std::uint32_t> arrived = 0;
  const auto body = [&](Rank& me) {
    const std::uint32_t there = (number(me.worker.load()->id()) + 1) % GetParam().workers;
    const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
    me.job.continuous_balancer()->set_target(me, there);
    for (bool counted = false; !ends;) {
      if (!counted && me.worker.load() == &me.job.worker(there) && me.target_worker == Rank::kAnyWorker) {
        counted = true;
        ++arrived;
      }
      me.teams.front()->barrier(me);
      if (number(me.id) == 0) {
        ends = arrived == ranks || std::chrono::steady_clock::now() > deadline;
        ends.notify_one();
      }
      me.teams.front()->barrier(me);
    }
    return 0;
  };
  run_planned(ranks, body, [&](Job& job) { job.main_thread().post([&] { ends.wait(false); }); });
  EXPECT_EQ(arrived, ranks);
}

// Targets that are never reached must not keep workers looking for ranks to move.
TEST_P(Placed, NothingIsLeftOfTheWishesOfRanksThatEnd) {
  std::atomic<std::uint32_t> requests = 0;
  run_planned(2 * GetParam().workers, [&](Rank& me) {
    if (number(me.id) != 0) {
      me.migratable = false;
      me.job.continuous_balancer()->set_target(me, 0);
      me.teams.front()->barrier(me);
      return 0;
    }
    me.teams.front()->barrier(me);
    const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
    do {
      yield(me);
      // The other workers, which have no ranks any more, may be idle.
      requests = me.job.continuous_balancer()->move_requests();
    } while (requests >= GetParam().workers && std::chrono::steady_clock::now() < deadline);
    return 0;
  });
  EXPECT_LT(requests, GetParam().workers);
}

TEST(TemporaryMoves, GoesOnWhereItKeepsWorkersBusier) {
  TemporaryMoves moves;
  bool tried = true;
  for (int interval = 0; interval < 15; ++interval) {
    tried = moves.next(tried ? 0.9 : 0.7);
  }
  EXPECT_TRUE(tried);
}

TEST(TemporaryMoves, EndsWhereAPlanIsEnough) {
  TemporaryMoves moves;
  bool tried = true;
  for (int interval = 0; interval < 15; ++interval) {
    tried = moves.next(tried ? 0.82 : 0.8);
  }
  EXPECT_FALSE(tried);
}

TEST(TemporaryMoves, IsTriedAgain) {
  TemporaryMoves moves;
  bool tried = true;
  for (int interval = 0; interval < 15; ++interval) {
    tried = moves.next(tried ? 0.6 : 0.8);
  }
  ASSERT_FALSE(tried);
  for (int interval = 0; interval < 64; ++interval) {
    tried = moves.next(tried ? 1.0 : 0.5);
  }
  EXPECT_TRUE(tried);
}

}  // namespace
}  // namespace weft::runtime
