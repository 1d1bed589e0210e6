// Aggregation: work adds up, messages within groups vanish, messages between groups merge, and nothing deadlocks.
#include "sim/aggregate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "sim/generate.hpp"
#include "sim/replay.hpp"
#include "workloads.hpp"

namespace weft::sim::test {
namespace {

using testing::ElementsAre;

TEST(Groups, AreBlocksOfAGrid) {
  EXPECT_THAT(groups_of({.extents = {4, 2, 1}, .blocks = {2, 1, 1}}), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(groups_of({.extents = {4, 2, 1}, .blocks = {2, 2, 1}}), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(groups_of({.extents = {4, 2, 1}, .blocks = {2, 1, 1}, .last_fastest = true}),
              ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  EXPECT_THROW(groups_of({.extents = {4, 1, 1}, .blocks = {3, 1, 1}}), std::invalid_argument);
}

TEST(Groups, ComeFromAFile) {
  const std::string file = testing::TempDir() + "groups";
  std::ofstream(file) << "0 0 1\n1 2\n";
  EXPECT_THAT(read_groups(file), ElementsAre(0, 0, 1, 1, 2));
  std::ofstream(file) << "0 one";
  EXPECT_THROW(read_groups(file), std::invalid_argument);
  EXPECT_THROW(read_groups(file + ".none"), std::invalid_argument);
}

// A stencil of 8 × 8 ranks in blocks of 2 × 2 is a stencil of 4 × 4 ranks with four times the work and twice the bytes.
TEST(Aggregate, AStencilIsACoarserStencil) {
  const GenerateOptions fine{.extents = {8, 8, 1}, .iterations = 20, .work = 1e-3, .bytes = 10'000};
  const GenerateOptions coarse{
      .extents = {4, 4, 1}, .iterations = 20, .work = 4e-3, .bytes = 20'000, .rank_bytes = 4 << 20};
  const Workload made = aggregate(generate_stencil(fine), groups_of({.extents = {8, 8, 1}, .blocks = {2, 2, 1}}));
  const Workload real = generate_stencil(coarse);
  for (const NetworkModel network : {NetworkModel::loggp, NetworkModel::ports}) {
    const ReplayResult result = replay(made, hosts_of_one_core(16), {.network = network});
    const ReplayResult expected = replay(real, hosts_of_one_core(16), {.network = network});
    EXPECT_NEAR(result.makespan, expected.makespan, 1e-6 * expected.makespan);
    EXPECT_EQ(result.messages, expected.messages);
    EXPECT_EQ(result.bytes, expected.bytes);
  }
  EXPECT_LT(made.actions.size(), 1000U);  // iterations are loops
  const AdditivityError error = additivity_error(made, real);
  EXPECT_NEAR(error.total, 0.0, 1e-6);
  EXPECT_NEAR(error.rms, 0.0, 1e-6);
}

// Without sync points only messages begin new steps.
Workload stencil_without_migrate() {
  Workload workload = generate_stencil({.extents = {8, 1, 1}, .iterations = 30, .work = 1e-3, .bytes = 1000});
  for (Action& action : workload.actions) {
    if (action.kind == ActionKind::migrate) {
      action = {.kind = ActionKind::phase};
    }
  }
  return workload;
}

TEST(Aggregate, MessagesCountStepsWhereNothingElseDoes) {
  const Workload made = aggregate(stencil_without_migrate(), groups_of({.extents = {8, 1, 1}, .blocks = {4, 1, 1}}));
  const ReplayResult result = replay(made, hosts_of_one_core(2));
  EXPECT_EQ(result.messages, 60U);
  EXPECT_NEAR(result.busy[0], 30 * 4e-3, 1e-3);
  EXPECT_NEAR(result.makespan, 30 * 4e-3, 5e-3);
}

// Each rank of a row waits for the one before it, computes, and passes on.
TEST(Aggregate, APipelineStaysOne) {
  constexpr std::uint32_t kWaves = 40;
  const Workload fine = make_workload(8, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.loop(kWaves);
    if (rank > 0) {
      builder.recv({.peer = Peer::offset(-1), .bytes = 8});
    }
    builder.compute(1e-3);
    if (rank < 7) {
      builder.send({.peer = Peer::offset(1), .bytes = 8});
    }
    builder.end_loop();
  });
  const Workload made = aggregate(fine, groups_of({.extents = {8, 1, 1}, .blocks = {2, 1, 1}}));
  const ReplayResult result = replay(made, free_memory(4));
  EXPECT_EQ(result.messages, 3U * kWaves);
  EXPECT_NEAR(result.makespan, (kWaves + 3) * 2e-3, 1e-6);
}

// A ring of rendezvous messages: a rank that waited for its own send before it posts its receive would deadlock.
TEST(Aggregate, ARingGoesOn) {
  const Workload made =
      aggregate(generate_ring({.extents = {12, 1, 1}, .iterations = 10, .work = 1e-3, .bytes = 1 << 20}),
                groups_of({.extents = {12, 1, 1}, .blocks = {3, 1, 1}}));
  EXPECT_EQ(replay(made, hosts_of_one_core(4)).messages, 40U);
}

TEST(Aggregate, WorkIsAddedByRankPhaseAndCall) {
  Workload fine = make_workload(4, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.compute(1.0 + rank).phase(1).compute(10.0, 1).migrate(100, rank == 1 ? 0 : kMayMove).compute(5.0, 1);
  });
  fine.streams[3].scale = 2.0;
  const Workload made = aggregate(fine, {0, 0, 1, 1});
  const ReplayResult result = replay(made, free_memory(2), {.keep_iterations = true});
  EXPECT_NEAR(result.iterations[0][0], 23.0, 1e-5);
  EXPECT_NEAR(result.iterations[0][1], 3.0 + 10.0 + 2 * 14.0, 1e-5);
  EXPECT_NEAR(result.busy[0], 33.0, 1e-5);
  const auto migrate = std::ranges::find(made.actions, ActionKind::migrate, &Action::kind);
  EXPECT_EQ(migrate->value, 200U);
  EXPECT_EQ(migrate->detail & kMayMove, 0);  // one of both may not
}

TEST(Aggregate, CollectiveCallsOfAllBecomeThoseOfGroups) {
  Workload fine;
  fine.calls = {{.kind = CollectiveKind::allreduce, .element = 8},
                {.kind = CollectiveKind::allgather},
                {.kind = CollectiveKind::bcast, .root = 3},
                {.kind = CollectiveKind::allgather, .varies = 1, .counts = 4, .first_count = 0}};
  fine.counts = {1, 2, 3, 4};
  TemplateBuilder builder(fine);
  fine.streams.assign(4, {});
  builder.collective(0, 64).collective(1, 10).collective(2, 7).collective(3, 1).finish();
  const Workload made = aggregate(fine, {0, 0, 1, 1});
  ASSERT_EQ(made.calls.size(), 4U);
  EXPECT_EQ(made.calls[2].root, 1U);
  EXPECT_EQ(made.counts, (std::vector<std::uint64_t>{3, 7}));
  std::vector<std::uint64_t> bytes;
  for (std::size_t i = 0; i < made.templates[0].actions; ++i) {
    if (made.actions[i].kind == ActionKind::collective) {
      bytes.push_back(made.actions[i].value);
    }
  }
  EXPECT_THAT(bytes, ElementsAre(64U, 20U, 7U, 2U));
  const Workload one = aggregate(fine, {0, 0, 0, 0});
  EXPECT_TRUE(one.calls.empty());
}

// A program may make one by MPI_Comm_split, here with the ranks in another order.
TEST(Aggregate, ACommunicatorOfAllRanksCountsAsTheWorld) {
  Workload fine;
  fine.members = {3, 2, 1, 0};
  fine.comms.push_back({.first_member = 0, .members = 4});
  fine.calls = {{.kind = CollectiveKind::bcast, .comm = 1, .root = 3},
                {.kind = CollectiveKind::allgather, .varies = 1, .comm = 1, .counts = 4, .first_count = 0}};
  fine.counts = {1, 2, 3, 4};
  TemplateBuilder builder(fine);
  fine.streams.assign(4, {});
  builder.collective(0, 64).collective(1, 1).finish();
  const Workload made = aggregate(fine, {0, 0, 0, 1});
  ASSERT_EQ(made.calls.size(), 2U);
  EXPECT_EQ(made.calls[0].comm, 0U);
  EXPECT_EQ(made.calls[0].root, 0U);                                   // member 3 is rank 0
  EXPECT_EQ(made.counts, (std::vector<std::uint64_t>{2 + 3 + 4, 1}));  // member 0 is rank 3
  fine.comms[1].members = 3;
  EXPECT_THROW(aggregate(fine, {0, 0, 0, 1}), WorkloadError);  // some of the ranks
}

TEST(Aggregate, RefusesWhatIsNotAddedUp) {
  const Workload fine = generate_bsp({.extents = {4, 1, 1}, .iterations = 1});
  EXPECT_THROW(aggregate(fine, {0, 0, 1}), std::invalid_argument);
  EXPECT_THROW(aggregate(fine, {0, 0, 2, 2}), std::invalid_argument);
  const Workload differ = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.compute(1.0);
    if (rank == 0) {
      builder.migrate(1);
    }
  });
  EXPECT_THROW(aggregate(differ, {0, 0}), WorkloadError);
  Workload unequal = fine;
  unequal.calls[0].kind = CollectiveKind::allgather;
  EXPECT_THROW(aggregate(unequal, {0, 0, 0, 1}), WorkloadError);
}

TEST(Additivity, SaysHowFarWorkIsOff) {
  const auto work = [](double first, double second) {
    return make_workload(2, [=](std::uint32_t rank, TemplateBuilder& builder) {
      builder.compute(rank == 0 ? first : second).migrate(0).compute(1.0);
    });
  };
  const AdditivityError error = additivity_error(work(4.0, 3.0), work(3.0, 3.0));
  EXPECT_NEAR(error.total, 1.0 / 8.0, 1e-9);
  EXPECT_NEAR(error.rank, 1.0 / 4.0, 1e-9);
  EXPECT_NEAR(error.rms, std::sqrt(1.0 / 4.0) / 2.0, 1e-9);
  EXPECT_THROW(additivity_error(work(1, 1), make_workload(1, [](std::uint32_t, TemplateBuilder&) {})),
               std::invalid_argument);
}

}  // namespace
}  // namespace weft::sim::test
