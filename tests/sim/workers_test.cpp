// Ranks that share workers, and workers that share cores.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

constexpr MessageSpec from(std::uint32_t rank, std::uint64_t bytes = 0) {
  return {.peer = {Addressing::absolute, static_cast<std::int32_t>(rank)}, .bytes = bytes};
}

// Ranks 0 and 1 share worker 0; rank 2, alone, sends to rank 0 when it has computed.
Workload two_and_one(Seconds work_of_2) {
  return make_workload(3, [=](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 0) {
      builder.compute(1).recv(from(2)).compute(1);
    } else if (rank == 1) {
      builder.compute(3);
    } else {
      builder.compute(work_of_2).send(from(0));
    }
  });
}

TEST(Workers, ARankThatMustWaitGivesItsWorkerToTheNext) {
  EXPECT_EQ(ends(two_and_one(2), free_memory(2), {0, 0, 1}), (std::vector<Seconds>{5, 4, 2}));
}

TEST(Workers, ARankWhoseMessageHasComeGoesOn) {
  EXPECT_EQ(ends(two_and_one(0.5), free_memory(2), {0, 0, 1}), (std::vector<Seconds>{2, 5, 0.5}));
}

TEST(Workers, ASwitchCosts) {
  Platform platform = free_memory(2);
  platform.switch_cost = 0.25;
  EXPECT_EQ(ends(two_and_one(2), platform, {0, 0, 1}), (std::vector<Seconds>{5.5, 4.25, 2}));
  // Nobody else is there: what wakes a rank finds it on its own stack.
  EXPECT_EQ(ends(two_and_one(2), platform, {0, 1, 1}), (std::vector<Seconds>{6.25, 3, 5.25}));
}

// Ranks 0 to 2 wait for ranks 3 to 5, whose messages come in another order.
TEST(Workers, RanksRunInTheOrderInWhichTheyBecomeReady) {
  const Workload workload = make_workload(6, [](std::uint32_t rank, TemplateBuilder& builder) {
    constexpr std::array<double, 3> kWorks{3, 1, 2};
    rank < 3 ? builder.recv(from(rank + 3)).compute(10) : builder.compute(kWorks.at(rank - 3)).send(from(rank - 3));
  });
  EXPECT_EQ(ends(workload, free_memory(4), {0, 0, 0, 1, 2, 3}), (std::vector<Seconds>{31, 11, 21, 3, 1, 2}));
}

TEST(Workers, SpeedsAndScales) {
  Platform platform = free_memory(2);
  platform.workers[1].speed = 0.5;
  Workload workload = make_workload(2, [](std::uint32_t, TemplateBuilder& builder) { builder.compute(3); });
  workload.streams[1].scale = 2;
  EXPECT_EQ(ends(workload, platform, {0, 1}), (std::vector<Seconds>{3, 12}));
}

TEST(Workers, ListedWorkDiffersFromIterationToIteration) {
  Workload workload = make_workload(
      2, [](std::uint32_t, TemplateBuilder& builder) { builder.loop(3).compute(2, 0, WorkDetail::listed).end_loop(); });
  workload.values = {1, 2, 3, 10, 20, 30};
  workload.streams[0].values = workload.streams[1].values = 3;
  workload.streams[1].first_value = 3;
  EXPECT_EQ(ends(workload, free_memory(2), {0, 1}), (std::vector<Seconds>{12, 120}));
}

TEST(Workers, HogsAndQuotasComeAndGo) {
  Platform platform = free_memory(3);
  platform.interferences = {{.worker = 0, .from = 2, .until = 6, .threads = 1},
                            {.worker = 1, .from = 0, .until = 8, .threads = 0, .quota = 0.25},
                            {.worker = 1, .from = 0, .until = 4, .threads = 1},
                            {.worker = 2, .from = 1, .until = 3, .threads = 1},
                            {.worker = 2, .from = 2, .until = 4, .threads = 1}};
  const Workload workload = make_workload(3, [](std::uint32_t, TemplateBuilder& builder) { builder.compute(10); });
  const std::vector<Seconds> end = ends(workload, platform, {0, 1, 2});
  EXPECT_NEAR(end[0], 12, 1e-9);
  EXPECT_NEAR(end[1], 16, 1e-9);              // 8 s at a quarter
  EXPECT_NEAR(end[2], 11 + 2.0 / 3.0, 1e-9);  // loses 1/2, 2/3, 1/2 of three seconds
}

TEST(Workers, AnAnnouncedMessageHoldsItsSender) {
  Platform platform = free_memory(2);
  platform.eager_limit = 100;
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    rank == 0 ? builder.send(from(1, 100)).send(from(1, 101)) : builder.compute(5).recv(from(0)).recv(from(0));
  });
  EXPECT_EQ(ends(workload, platform, {0, 1}), (std::vector<Seconds>{5, 5}));
}

TEST(Workers, RanksThatWaitForEachOtherAreNamed) {
  const Workload workload = make_workload(
      2, [](std::uint32_t rank, TemplateBuilder& builder) { builder.recv(from(1 - rank)).send(from(1 - rank)); });
  try {
    replay(workload, free_memory(1));
    FAIL();
  } catch (const WorkloadError& error) {
    EXPECT_STREQ(error.what(), "2 ranks wait for each other: the first is rank 0, at action 0 of template 0");
  }
}

// Work of uneven ranks, several on a worker: what the same input gives has the same bits.
TEST(Workers, TheSameInputGivesTheSameBits) {
  constexpr std::uint32_t kRanks = 60;
  const Workload workload = make_workload(kRanks, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.loop(30);
    for (std::uint32_t i = 1; i <= 3; ++i) {
      builder.irecv(from((rank + kRanks - i * i) % kRanks, std::uint64_t{30000} * i), static_cast<std::uint16_t>(i));
      builder.isend(from((rank + i * i) % kRanks, std::uint64_t{10000} * i), static_cast<std::uint16_t>(3 + i));
    }
    builder.compute(1e-4 * (1 + std::sin(rank))).wait(1, 3).compute(1e-5 * (rank % 7)).wait(4, 3).end_loop();
  });
  const Platform platform = make_platform({.hosts = 3, .processes = 2, .cores = 4});
  for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports}) {
    const ReplayResult first = replay(workload, platform, {.network = network});
    const ReplayResult second = replay(workload, platform, {.network = network});
    EXPECT_EQ(first.ended, second.ended);
    EXPECT_EQ(first.busy, second.busy);
    EXPECT_EQ(first.actions, expanded_actions(workload));
    EXPECT_EQ(first.messages, 3U * 30 * kRanks);
  }
}

}  // namespace
}  // namespace weft::sim::test
