// Collective calls in simulated time.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

using enum CollectiveKind;

// Rank r computes for r milliseconds and makes the call.
Workload staggered(std::uint32_t ranks, const CollectiveCall& call, std::uint64_t bytes) {
  Workload workload;
  workload.calls = {call};
  TemplateBuilder builder(workload);
  builder.compute(1e-3).collective(0, bytes);
  const std::uint32_t pattern = builder.finish();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    workload.streams.push_back({.pattern = pattern, .scale = rank + 0.0});
  }
  return workload;
}

struct Case {
  CollectiveKind kind;
  std::uint64_t bytes;
};

class Members : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(OneToSeventeen, Members, testing::Range(1U, 18U));

// The members on which a member depends when it leaves the call.
std::uint32_t latest_of(CollectiveKind kind, std::uint32_t member, std::uint32_t root, std::uint32_t members) {
  switch (kind) {
    case bcast:
    case scatter:
      return std::max(member, root);
    case gather:
    case reduce:
      return member == root ? members - 1 : member;
    case scan:
    case exscan:
      return member;
    default:
      return members - 1;
  }
}

TEST_P(Members, NobodyLeavesBeforeThoseItNeedsHaveCome) {
  for (const CollectiveKind kind :
       {barrier, bcast, gather, scatter, allgather, alltoall, reduce, allreduce, reduce_scatter, scan, exscan}) {
    for (const std::uint64_t bytes : {std::uint64_t{64}, std::uint64_t{40000}, std::uint64_t{1} << 20}) {
      const std::uint32_t root = GetParam() / 2;
      const Workload workload = staggered(GetParam(), {.kind = kind, .element = 8, .root = root}, bytes);
      for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports}) {
        const ReplayResult result = replay(workload, hosts_of_one_core(GetParam()), {.network = network});
        EXPECT_EQ(result.actions, 2U * GetParam());
        for (std::uint32_t rank = 0; rank < GetParam(); ++rank) {
          const Seconds least = 1e-3 * latest_of(kind, rank, root, GetParam());
          EXPECT_GE(result.ended[rank], least) << static_cast<int>(kind) << " of " << bytes << " bytes, rank " << rank;
          EXPECT_LE(result.ended[rank], 1e-3 * (GetParam() - 1) + 0.2);
        }
      }
    }
  }
}

// Messages that the algorithms need, by hand.
TEST_P(Members, SendTheMessagesOfTheirAlgorithm) {
  const std::uint64_t n = GetParam();
  const auto messages = [&](CollectiveKind kind, std::uint64_t bytes) {
    return replay(staggered(GetParam(), {.kind = kind, .element = 8}, bytes), hosts_of_one_core(GetParam())).messages;
  };
  EXPECT_EQ(messages(barrier, 0), 2 * (n - 1));
  EXPECT_EQ(messages(bcast, 1024), n - 1);
  EXPECT_EQ(messages(bcast, 1 << 20), 4 * (n - 1));  // four pieces
  EXPECT_EQ(messages(gather, 100), n - 1);
  EXPECT_EQ(messages(alltoall, 100), n * (n - 1));
  EXPECT_EQ(messages(reduce, 100), n - 1);
  EXPECT_EQ(messages(allreduce, 100), 2 * (n - 1));
  EXPECT_EQ(messages(allreduce, 1 << 20), 2 * n * (n - 1));  // parts to all, and around a ring
  EXPECT_EQ(messages(allgather, 1 << 20), n * (n - 1));      // around a ring
  EXPECT_EQ(messages(scan, 8), n - 1);
}

TEST(Collective, ABroadcastTakesALevelOfItsTreeAtATime) {
  constexpr std::uint64_t kBytes = 64;
  LinkCost link = kLink;
  link.gap = 0.0;
  for (std::uint32_t members = 2; members <= 64; members *= 2) {
    Workload workload = staggered(members, {.kind = bcast}, kBytes);
    std::ranges::for_each(workload.streams, [](Stream& stream) { stream.scale = 0; });
    const Seconds level = 2 * link.overhead + link.latency + kBytes * link.per_byte;
    const auto levels = static_cast<double>(std::bit_width(members) - 1);
    EXPECT_NEAR(replay(workload, hosts_of_one_core(members, link)).makespan, levels * level, 1e-9 * level);
  }
}

TEST(Collective, MembersOfOneProcessMeetInMemory) {
  Platform platform = free_memory(4);
  platform.in_memory = {.step = 1, .member = 0.5, .worker = 0.25, .per_byte = 0.125};
  const ReplayResult result = replay(staggered(8, {.kind = allreduce, .element = 8}, 16), platform);
  EXPECT_EQ(result.messages, 0U);
  // Ranks 6 and 7 share a worker: the last has come after 6 + 7 ms, and combines all vectors.
  EXPECT_NEAR(result.makespan, 13e-3 + 1 + 8 * 0.5 + 4 * 0.25 + 8 * 16 * 0.125, 1e-12);
  EXPECT_NEAR(result.busy[3], 13e-3, 1e-12);
}

// 8 ranks on 4 workers, of which each copies or combines at a byte a second.
ReplayResult in_memory(const CollectiveCall& call, std::uint64_t bytes) {
  Platform platform = free_memory(4);
  platform.in_memory = {.step = 100, .member = 0, .worker = 0, .per_byte = 1};
  platform.near[static_cast<std::size_t>(lb::Distance::kSameNuma)].copy_per_byte = 1;
  Workload workload = staggered(8, call, bytes);
  std::ranges::for_each(workload.streams, [](Stream& stream) { stream.scale = 0; });
  return replay(workload, platform);
}

TEST(Collective, MembersOfOneProcessWorkBetweenTwoMeetings) {
  EXPECT_NEAR(in_memory({.kind = allreduce, .element = 8}, 3000).makespan, 100 + 2 * 3000 + 100, 1e-6);
  EXPECT_NEAR(in_memory({.kind = CollectiveKind::alltoall}, 10).makespan, 100 + 2 * 80 + 100, 1e-9);
  EXPECT_NEAR(in_memory({.kind = CollectiveKind::allgather}, 10).makespan, 100 + 2 * 80 + 100, 1e-9);
  EXPECT_NEAR(in_memory({.kind = CollectiveKind::gather, .root = 1}, 10).makespan, 100 + 2 * 10 + 100, 1e-9);
  const ReplayResult copied = in_memory({.kind = bcast, .root = 7}, 2000);
  EXPECT_NEAR(copied.makespan, 100 + 2 * 2000 + 100, 1e-6);
  EXPECT_NEAR(copied.busy[0], 4000, 1e-6);
  EXPECT_NEAR(copied.busy[3], 2000, 1e-6);  // the root copies nothing
  EXPECT_NEAR(in_memory({.kind = bcast, .root = 7}, 1000).makespan, 100, 1e-9);
}

TEST(Collective, CommunicatorsHaveMembersOfTheirOwn) {
  Workload workload;
  workload.comms.push_back({.first_member = 0, .members = 3});
  workload.members = {4, 0, 2};
  workload.calls = {{.kind = bcast, .comm = 1, .root = 2}};
  TemplateBuilder builder(workload);
  builder.compute(1).collective(0, 8).finish();
  builder.compute(100).finish();
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    workload.streams.push_back({.pattern = rank % 2, .scale = rank == 2 ? 10.0 : 1.0});  // rank 2 is the root
  }
  const ReplayResult result = replay(workload, hosts_of_one_core(5));
  EXPECT_EQ(result.messages, 2U);
  EXPECT_GT(result.ended[0], 10);
  EXPECT_GT(result.ended[4], 10);
  EXPECT_LT(result.ended[4], 11);
  EXPECT_EQ(result.ended[3], 100);
  workload.streams[1].pattern = 0;
  EXPECT_THROW(replay(workload, hosts_of_one_core(5)), WorkloadError);
}

// Each rank's call has the bytes that it sends to each.
TEST(Collective, CountsDifferFromPeerToPeer) {
  Workload workload;
  TemplateBuilder builder(workload);
  workload.counts = {0, 1, 2, 10, 0, 20, 100, 200, 0};
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    workload.calls.push_back({.kind = alltoall, .varies = 1, .counts = 3, .first_count = std::uint64_t{3} * rank});
    builder.collective(rank, 0);
    workload.streams.push_back({.pattern = builder.finish()});
  }
  const ReplayResult result = replay(workload, hosts_of_one_core(3));
  EXPECT_EQ(result.messages, 6U);
  EXPECT_EQ(result.bytes, 333U);
}

// Members of gatherv know only their own block, but use the same algorithm as the root.
TEST(Collective, TheRootAloneKnowsAllBlocksOfAGatherv) {
  Workload workload;
  TemplateBuilder builder(workload);
  workload.counts = {1, 2, 3, 4};
  workload.calls = {{.kind = gather, .varies = 1, .root = 1, .counts = 4}, {.kind = gather, .varies = 1, .root = 1}};
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    builder.collective(rank == 1 ? 0 : 1, rank + 1);
    workload.streams.push_back({.pattern = builder.finish()});
  }
  const ReplayResult result = replay(workload, hosts_of_one_core(4));
  EXPECT_EQ(result.messages, 3U);
  EXPECT_EQ(result.bytes, 1U + 3 + 4);
}

TEST(Collective, CallsFollowEachOtherOnTheSameChannels) {
  Workload workload;
  workload.calls = {{.kind = allreduce, .element = 8}, {.kind = barrier}, {.kind = alltoall}};
  TemplateBuilder builder(workload);
  builder.loop(10).compute(1e-5).collective(0, 8).collective(1, 0).collective(2, 500).collective(0, 1 << 20).end_loop();
  builder.finish();
  workload.streams.assign(12, {});
  for (std::uint32_t i = 0; i < 12; ++i) {
    workload.streams[i].scale = 1 + i % 5;
  }
  // Several ranks on a worker, several workers in a process, processes on hosts.
  const Platform platform = make_platform({.hosts = 2, .processes = 2, .cores = 4});
  const ReplayResult result = replay(workload, platform);
  EXPECT_EQ(result.messages, 10U * (22 + 22 + 12 * 11 + 2 * 12 * 11));
}

}  // namespace
}  // namespace weft::sim::test
