// Nonblocking collective calls in simulated time.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

using enum CollectiveKind;

// A network without contention, with round costs.
constexpr LinkCost kRound{.overhead = 1e-3, .latency = 0.5, .gap = 0.0, .per_byte = 0.0, .copy_per_byte = 0.0};

ReplayResult replay_alone(const Workload& workload, std::uint32_t hosts) {
  return replay(workload, hosts_of_one_core(hosts, kRound), {.network = NetworkModel::loggp});
}

class Members : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(TwoToNine, Members, testing::Range(2U, 10U));

// One member comes late, and no two at the same time; `slot` 0: the call blocks.
Workload late_member(std::uint32_t members, const CollectiveCall& call, std::uint64_t bytes, std::uint16_t slot) {
  Workload workload = make_workload(members, [&](std::uint32_t rank, TemplateBuilder& builder) {
    builder.compute(1e-8 * rank + (rank == members / 2 ? 1e-3 : 0.0)).collective(0, bytes, slot);
    if (slot != kBlockingSlot) {
      builder.wait(slot);
    }
    builder.compute(1e-5);
  });
  workload.calls = {call};
  return workload;
}

TEST_P(Members, WaitAtOnceAsLongAsInCallsThatBlock) {
  for (const CollectiveKind kind :
       {barrier, bcast, gather, scatter, allgather, alltoall, reduce, allreduce, reduce_scatter, scan, exscan}) {
    for (const std::uint64_t bytes : {std::uint64_t{64}, std::uint64_t{1} << 20}) {
      for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports, NetworkModel::flows}) {
        const CollectiveCall call{.kind = kind, .element = 8, .root = GetParam() / 3};
        const Platform platform = hosts_of_one_core(GetParam());
        const ReplayResult blocks = replay(late_member(GetParam(), call, bytes, 0), platform, {.network = network});
        const ReplayResult waits = replay(late_member(GetParam(), call, bytes, 1), platform, {.network = network});
        EXPECT_EQ(waits.messages, blocks.messages);
        for (std::uint32_t rank = 0; rank < GetParam(); ++rank) {
          EXPECT_NEAR(waits.ended[rank], blocks.ended[rank], 1e-9 * blocks.makespan)
              << static_cast<int>(kind) << " of " << bytes << " bytes, rank " << rank;
        }
      }
    }
  }
}

// Rank 1 sends to rank 0, which combines when it waits, and sends back.
Workload allreduce_of_two(const std::function<void(TemplateBuilder&)>& between) {
  Workload workload = make_workload(2, [&](std::uint32_t rank, TemplateBuilder& builder) {
    builder.collective(0, 8, 1);
    if (rank == 0) {
      between(builder);
    }
    builder.wait(1);
  });
  workload.calls = {{.kind = allreduce, .element = 8}};
  return workload;
}

TEST(PendingCalls, NothingGoesOnWhileARankComputes) {
  const ReplayResult result = replay_alone(allreduce_of_two([](auto& rank) { rank.compute(10); }), 2);
  EXPECT_NEAR(result.ended[0], 10 + 2e-3, 1e-8);
  EXPECT_NEAR(result.ended[1], 10 + 3e-3 + 0.5, 1e-8);
}

TEST(PendingCalls, GoOnInACallThatFindsNothing) {
  const auto between = [](auto& rank) { rank.compute(2).wait(1, 0).compute(8); };
  const ReplayResult result = replay_alone(allreduce_of_two(between), 2);
  EXPECT_NEAR(result.ended[0], 10 + 2e-3, 1e-8);
  EXPECT_NEAR(result.ended[1], 2 + 3e-3 + 0.5, 1e-8);
}

// A poll that comes before the message does not help.
TEST(PendingCalls, APollFindsNothingThatComesLater) {
  const auto between = [](auto& rank) { rank.compute(0.4).wait(1, 0).compute(8); };
  EXPECT_NEAR(replay_alone(allreduce_of_two(between), 2).ended[1], 8.4 + 3e-3 + 0.5, 1e-8);
}

TEST(PendingCalls, GoOnWhileTheRankWaitsForSomethingElse) {
  Workload workload = make_workload(3, [](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 2) {
      builder.compute(5).send({.peer = Peer::rank(0), .bytes = 8});
      return;
    }
    builder.collective(0, 8, 1);
    if (rank == 0) {
      builder.recv({.peer = Peer::rank(2), .bytes = 8});
    }
    builder.wait(1);
  });
  workload.calls = {{.kind = allreduce, .element = 8, .comm = 1}};
  workload.comms.push_back({.first_member = 0, .members = 2});
  workload.members = {0, 1};
  const ReplayResult result = replay_alone(workload, 3);
  EXPECT_NEAR(result.ended[1], 2 * 0.5 + 4e-3, 1e-8);
  EXPECT_NEAR(result.ended[0], 5 + 0.5 + 2e-3, 1e-8);
}

// The first call is still pending at rank 0 when the messages of the second one leave.
TEST(PendingCalls, ThoseOfOneCommunicatorDoNotMix) {
  Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.compute(rank == 1 ? 3 : 0).collective(0, 8, 1).collective(1, 1000, 2).collective(2, 70, 0);
    builder.wait(2).wait(1);
  });
  workload.calls = {{.kind = allreduce, .element = 8}, {.kind = bcast}, {.kind = alltoall}};
  const ReplayResult result = replay_alone(workload, 2);
  EXPECT_EQ(result.messages, 2U + 1 + 2);
  EXPECT_EQ(result.bytes, 2U * 8 + 1000 + 2 * 70);
}

TEST(PendingCalls, ManyIterationsReplayTheSame) {
  Workload workload;
  TemplateBuilder builder(workload);
  builder.loop(20).compute(1e-4).collective(0, 8, 1).compute(1e-4).collective(1, 300'000, 2).compute(1e-4).wait(1, 0);
  builder.collective(2, 0, 3).compute(1e-4).wait(1, 2).wait(3).migrate(8).end_loop();
  builder.finish();
  workload.calls = {{.kind = allreduce, .element = 8}, {.kind = allgather}, {.kind = barrier}};
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    workload.streams.push_back({.scale = 1.0 + rank % 5});
  }
  const Platform platform = make_platform({.hosts = 2, .processes = 2, .cores = 2});
  const ReplayOptions options{.balancing = {.strategy = "rotate", .when = "every:3"}};
  const ReplayResult result = replay(workload, platform, options);
  EXPECT_EQ(result.actions, 12U * 20 * 11);
  EXPECT_EQ(result.steps.size(), 6U);
  EXPECT_EQ(result.ended, replay(workload, platform, options).ended);
}

TEST(PendingCalls, ShortReductionsOfOneProcessMeetInMemory) {
  Platform platform = free_memory(4);
  platform.in_memory = {.step = 1, .member = 0.5, .worker = 0.25, .per_byte = 0.125};
  const auto ended = [&](std::uint64_t bytes, std::uint8_t persistent_number) {
    Workload workload = make_workload(4, [&](std::uint32_t rank, TemplateBuilder& builder) {
      builder.compute(rank).collective(0, bytes, 1, persistent_number).collective(1, 0, 2).compute(1).wait(1, 2);
    });
    workload.calls = {{.kind = allreduce, .element = 8}, {.kind = barrier}};
    return replay(workload, platform);
  };
  // The member that comes last combines what all have brought.
  EXPECT_NEAR(ended(16, 0).makespan, 3 + 1 + 4 * 0.5 + 4 * 0.25 + 4 * 16 * 0.125, 1e-12);
  EXPECT_EQ(ended(16, 0).messages, 0U);
  EXPECT_EQ(ended(520, 0).messages, 2U * 3);
  EXPECT_EQ(ended(16, 1).messages, 2U * 3);
}

// Rank 0 hands the sum on while it waits in memory for rank 2.
TEST(PendingCalls, GoOnInCallsInMemory) {
  Workload workload = make_workload(3, [](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 2) {
      builder.compute(4).collective(1, 0);
    } else if (rank == 1) {
      builder.collective(0, 1000, 1).wait(1);
    } else {
      builder.collective(0, 1000, 1).compute(0.5).collective(1, 0).wait(1);
    }
  });
  workload.calls = {{.kind = allreduce, .element = 8, .comm = 1}, {.kind = barrier, .comm = 2}};
  workload.comms = {{}, {.first_member = 0, .members = 2}, {.first_member = 2, .members = 2}};
  workload.members = {0, 1, 0, 2};
  const ReplayResult result = replay(workload, free_memory(3));
  EXPECT_NEAR(result.ended[0], 4, 1e-3);
  EXPECT_NEAR(result.ended[1], 0.5, 1e-3);
}

// Members may start persistent calls in orders of their own.
TEST(PendingCalls, PersistentOnesAreKnownByTheirNumber) {
  Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const auto first = static_cast<std::uint16_t>(rank);
    for (const auto call : {first, static_cast<std::uint16_t>(1 - first)}) {
      builder.collective(call, call == 0 ? 8 : 4000, static_cast<std::uint16_t>(call + 1),
                         static_cast<std::uint8_t>(call + 1));
    }
    builder.wait(1, 2);
  });
  workload.calls = {{.kind = allreduce, .element = 8}, {.kind = bcast}};
  EXPECT_EQ(replay_alone(workload, 2).bytes, 2U * 8 + 4000);
}

}  // namespace
}  // namespace weft::sim::test
