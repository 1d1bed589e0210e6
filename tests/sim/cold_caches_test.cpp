// The extra cost of messages, switches and in-memory barriers after ranks have computed.
#include <gtest/gtest.h>

#include <vector>

#include "sim/cold_caches.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

constexpr MessageSpec with(std::uint32_t rank, std::uint64_t bytes = 0) {
  return {.peer = {Addressing::absolute, static_cast<std::int32_t>(rank)}, .bytes = bytes};
}

// Nothing in MPI takes time, unless ranks have computed.
Platform cold_memory(std::uint32_t workers) {
  Platform platform = free_memory(workers);
  platform.in_memory = {.step = 0, .member = 0, .worker = 0, .per_byte = 0};
  platform.cold_caches = {{.computing = 1, .message = 0.25, .switching = 0.5, .copy_per_byte = 0.125},
                          {.computing = 3, .message = 0.75, .switching = 1.5, .copy_per_byte = 0.125}};
  return platform;
}

// Rank 0 computes, and sends to rank 1, which waits for that.
Workload computes_and_sends(Seconds work, std::uint64_t bytes = 0, std::uint32_t messages = 1) {
  return make_workload(2, [=](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 0) {
      builder.compute(work);
    }
    for (std::uint32_t i = 0; i < messages; ++i) {
      rank == 0 ? builder.send(with(1, bytes)) : builder.recv(with(0));
    }
  });
}

TEST(ColdCosts, LieOnLinesThatBeginWithNone) {
  const ColdCosts costs(cold_memory(1).cold_caches);
  EXPECT_EQ(costs.after(0).message, 0);
  EXPECT_EQ(costs.after(0.5).message, 0.125);
  EXPECT_EQ(costs.after(0.5).copy_per_byte, 0.0625);
  EXPECT_EQ(costs.after(1).switching, 0.5);
  EXPECT_EQ(costs.after(2).switching, 1);
  EXPECT_EQ(costs.after(100).message, 0.75);
  EXPECT_TRUE(ColdCosts().empty());
}

// The receiver, on a worker of its own, has not computed.
TEST(ColdCaches, AMessageTakesLongerAfterComputing) {
  EXPECT_EQ(ends(computes_and_sends(1), cold_memory(2), {0, 1}), (std::vector<Seconds>{1.25, 1.25}));
  EXPECT_EQ(ends(computes_and_sends(2), cold_memory(2), {0, 1}), (std::vector<Seconds>{2.5, 2.5}));
  EXPECT_EQ(ends(computes_and_sends(1, 0, 5), cold_memory(2), {0, 1}), (std::vector<Seconds>{2.25, 2.25}));
}

TEST(ColdCaches, UntilAWaitIsOver) {
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 0) {
      builder.compute(1).recv(with(1)).send(with(1)).compute(1).send(with(1));  // both at 1.25, then 2.5
    } else {
      builder.send(with(0)).recv(with(0)).recv(with(0));
    }
  });
  EXPECT_EQ(ends(workload, cold_memory(2), {0, 1}), (std::vector<Seconds>{2.5, 2.5}));
}

// Rank 0 has sent at 2.5; the switch takes 1, and what its worker has computed makes rank 1 receive in 0.5.
TEST(ColdCaches, WhatOtherRanksOfTheWorkerHaveComputedCounts) {
  EXPECT_EQ(ends(computes_and_sends(2), cold_memory(1), {0, 0}), (std::vector<Seconds>{2.5, 4}));
}

TEST(ColdCaches, ASwitchTakesLongerByWhatWasComputedSinceTheLastOne) {
  const Workload workload =
      make_workload(3, [](std::uint32_t rank, TemplateBuilder& builder) { builder.compute(rank == 0 ? 2 : 0); });
  EXPECT_EQ(ends(workload, cold_memory(1), {0, 0, 0}), (std::vector<Seconds>{2, 3, 3}));
}

TEST(ColdCaches, CopyingIsNoFasterThanTheyAllow) {
  EXPECT_EQ(ends(computes_and_sends(1, 16), cold_memory(2), {0, 1}), (std::vector<Seconds>{3.25, 3.25}));
  // A link that is slower already stays as it is.
  Platform slow = cold_memory(2);
  slow.near[1].copy_per_byte = 0.25;
  EXPECT_EQ(ends(computes_and_sends(1, 16), slow, {0, 1}), (std::vector<Seconds>{5.25, 9.25}));
}

TEST(ColdCaches, AReceiverCopiesAsItsOwnAllow) {
  Platform platform = cold_memory(2);
  platform.eager_limit = 0;  // the receiver alone copies
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    rank == 0 ? builder.isend(with(1, 16), 1).wait(1, 1) : builder.compute(1).recv(with(0));
  });
  EXPECT_EQ(ends(workload, platform, {0, 1})[1], 3.25);
}

TEST(ColdCaches, MembersOfACallInMemoryComeLaterAndCopyMoreSlowly) {
  for (const std::uint16_t request : {kBlockingSlot, std::uint16_t{1}}) {
    Workload workload = make_workload(2, [request](std::uint32_t, TemplateBuilder& builder) {
      builder.compute(1).collective(0, 8, request);
      request == kBlockingSlot ? builder : builder.wait(request);
    });
    workload.calls = {{.kind = CollectiveKind::barrier}};
    EXPECT_EQ(ends(workload, cold_memory(2), {0, 1}), (std::vector<Seconds>{1.25, 1.25}));
  }
  Workload workload =
      make_workload(2, [](std::uint32_t, TemplateBuilder& builder) { builder.compute(1).collective(0, 8); });
  workload.calls = {{.kind = CollectiveKind::allgather}};  // each copies 16 bytes
  EXPECT_EQ(ends(workload, cold_memory(2), {0, 1}), (std::vector<Seconds>{3.25, 3.25}));
}

// By messages, members combine vectors in the calls.
TEST(ColdCaches, WhatIsComputedInCallsLeavesThemWarm) {
  Platform platform = make_platform({.hosts = 2, .link = {}});
  Workload workload =
      make_workload(2, [](std::uint32_t, TemplateBuilder& builder) { builder.collective(0, 8).collective(0, 8); });
  workload.calls = {{.kind = CollectiveKind::allreduce, .element = 8}};
  const std::vector<Seconds> warm = ends(workload, platform, {0, 1});
  EXPECT_GT(warm[0], 0);
  platform.cold_caches = cold_memory(1).cold_caches;
  EXPECT_EQ(ends(workload, platform, {0, 1}), warm);
}

TEST(ColdCaches, OfAnotherWorkerKnowNothingOfARankThatHasMoved) {
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.migrate(0);
    rank == 0 ? builder.send(with(1)) : builder.recv(with(0));
  });
  Platform platform = cold_memory(2);
  platform.step_cost = platform.move_cost = 0;
  EXPECT_EQ(replay(workload, platform, {.homes = {0, 1}, .balancing = {.strategy = "rotate"}}).ended,
            (std::vector<Seconds>{0.75, 1.5}));
}

}  // namespace
}  // namespace weft::sim::test
