// Ranks that go where a plan wants them, without steps; and whether idle workers are lent ranks meanwhile.
#include "runtime/location/continuous_balancer.hpp"

#include <atomic>
#include <chrono>

#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::runtime {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

class Placed : public JobTest {
 protected:
  // Nobody runs so long at a time that it would be lent.
  int run_planned(std::uint32_t ranks, const std::function<int(Rank&)>& body) {
    JobConfig config;
    config.share = true;
    config.share_us = 1000;
    config.spin_us = 0;  // idle workers ask for a plan at once
    return run(ranks, body, config);
  }

  // Time steps in which the first two ranks, which share a worker at first, compute for 200 µs and the others nothing;
  // until `over` or for too long.
  int compute_until(const std::function<bool(const Job&)>& over, const std::function<void(Rank&)>& prepare) {
    std::atomic<bool> ends = false;
    return run_planned(4 * GetParam().workers, [&](Rank& me) {
      prepare(me);
      const auto patience = std::chrono::steady_clock::now() + kPatience;
      const auto work = static_cast<std::uint64_t>(200e-6 * ticks_per_second());
      while (!ends) {
        if (number(me.id) < 2) {
          for (const std::uint64_t began = ticks(); ticks() - began < work;) {
          }
        }
        me.teams.front()->barrier(me);
        if (number(me.id) == 0) {
          ends = over(me.job) || std::chrono::steady_clock::now() > patience;
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
        placed = job.continuous_balancer()->counts().placed;
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

// The job makes plans of its own once its workers have been kept from working for long: then there is another attempt.
TEST_P(Placed, AWishComesTrueOnce) {
  const std::uint32_t ranks = 4 * GetParam().workers;
  EXPECT_TRUE(undisturbed(3, [&] {
    std::atomic<bool> ends = false;
    std::atomic<std::uint32_t> arrived = 0;
    std::atomic<std::uint32_t> wishes_left = 0;
    run_planned(ranks, [&](Rank& me) {
      const std::uint32_t there = (number(me.worker.load()->id()) + 1) % GetParam().workers;
      const auto patience = std::chrono::steady_clock::now() + kPatience / 3;
      me.job.continuous_balancer()->set_target(me, there);
      for (bool counted = false; !ends;) {
        if (!counted && me.worker.load() == &me.job.worker(there)) {
          counted = true;
          ++arrived;
          wishes_left += me.job.continuous_balancer()->take_target(me) != Rank::kAnyWorker ? 1 : 0;
        }
        me.teams.front()->barrier(me);
        if (number(me.id) == 0) {
          ends = arrived == ranks || std::chrono::steady_clock::now() > patience;
        }
        me.teams.front()->barrier(me);
      }
      return 0;
    });
    return off("the number of ranks that came", arrived, ranks, 0) + off("that of wishes left", wishes_left, 0, 0);
  }));
}

// What is never carried out must not keep workers looking for it.
TEST_P(Placed, NothingIsLeftOfTheWishesOfRanksThatEnd) {
  std::atomic<std::uint32_t> reasons = 0;
  run_planned(2 * GetParam().workers, [&](Rank& me) {
    if (number(me.id) != 0) {
      me.migratable = false;
      me.job.continuous_balancer()->set_target(me, 0);
      me.teams.front()->barrier(me);
      return 0;
    }
    me.teams.front()->barrier(me);
    const auto patience = std::chrono::steady_clock::now() + kPatience;
    do {
      yield(me);
      // The other workers, which have no ranks any more, may be hungry.
      reasons = me.job.continuous_balancer()->reasons_to_share();
    } while (reasons >= GetParam().workers && std::chrono::steady_clock::now() < patience);
    return 0;
  });
  EXPECT_LT(reasons, GetParam().workers);
}

TEST(TemporaryMoves, GoesOnWhereItKeepsWorkersBusier) {
  TemporaryMoves lending;
  bool lends = true;
  for (int interval = 0; interval < 15; ++interval) {
    lends = lending.next(lends ? 0.9 : 0.7);
  }
  EXPECT_TRUE(lends);
}

TEST(TemporaryMoves, EndsWhereAPlanIsEnough) {
  TemporaryMoves lending;
  bool lends = true;
  for (int interval = 0; interval < 15; ++interval) {
    lends = lending.next(lends ? 0.82 : 0.8);
  }
  EXPECT_FALSE(lends);
}

TEST(TemporaryMoves, IsTriedAgain) {
  TemporaryMoves lending;
  bool lends = true;
  for (int interval = 0; interval < 15; ++interval) {
    lends = lending.next(lends ? 0.6 : 0.8);
  }
  ASSERT_FALSE(lends);
  for (int interval = 0; interval < 64; ++interval) {
    lends = lending.next(lends ? 1.0 : 0.5);
  }
  EXPECT_TRUE(lends);
}

}  // namespace
}  // namespace weft::runtime
