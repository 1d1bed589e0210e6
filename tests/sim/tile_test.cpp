// A recorded grid of ranks becomes a larger one: the source of each rank, its work, and its messages.
#include "sim/tile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "sim/generate.hpp"
#include "sim/pairing.hpp"
#include "sim/replay.hpp"
#include "workloads.hpp"

namespace weft::sim::test {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Iterations of a stencil, of which the first belongs to no main loop: no call of MPI_Migrate comes before it.
GenerateOptions stencil(std::uint32_t x, std::uint32_t y) {
  return {.extents = {x, y, 1}, .iterations = 21, .work = 1e-3, .bytes = 10'000, .rank_bytes = 1 << 20};
}

Seconds makespan(const Workload& workload, std::uint32_t workers) {
  return replay(workload, hosts_of_one_core(workers), {}).makespan;
}

TEST(Tile, TheSameGridIsTheMainLoop) {
  const Workload made = tile(generate_stencil(stencil(4, 3)), {.fine = {4, 3, 1}, .extents = {4, 3, 1}});
  GenerateOptions loop = stencil(4, 3);
  loop.iterations = 20;
  EXPECT_NEAR(makespan(made, 12), makespan(generate_stencil(loop), 12), 1e-6);
  EXPECT_EQ(migrate_calls(made), 20U);
}

TEST(Tile, AStencilIsALargerStencil) {
  const Workload made = tile(generate_stencil(stencil(4, 3)),
                             {.fine = {4, 3, 1}, .extents = {9, 5, 1}, .work = 2.0, .bytes = 3.0, .rank_bytes = 4.0});
  GenerateOptions larger = stencil(9, 5);
  larger.iterations = 20;
  larger.work = 2e-3;
  larger.bytes = 30'000;
  const Workload expected = generate_stencil(larger);
  const ReplayResult result = replay(made, hosts_of_one_core(45), {});
  const ReplayResult wanted = replay(expected, hosts_of_one_core(45), {});
  EXPECT_NEAR(result.makespan, wanted.makespan, 1e-6 * wanted.makespan);
  EXPECT_EQ(result.messages, wanted.messages);
  EXPECT_EQ(result.bytes, wanted.bytes);
  EXPECT_LE(made.templates.size(), 12U);
  for (const Action& action : made.actions) {
    if (action.kind == ActionKind::migrate) {
      EXPECT_EQ(action.value, 4U << 20);
    }
  }
}

// Ranks 0 to 3 compute 1 to 4 ms.
Workload four_ranks() {
  Workload workload = generate_stencil(stencil(4, 1));
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    workload.streams[rank].scale = rank + 1.0;
  }
  return workload;
}

Seconds work_of(const Workload& workload, std::uint32_t rank) {
  Seconds sum = 0.0;
  const Stream& stream = workload.streams[rank];
  for (std::uint32_t i = 0; i < stream.values; ++i) {
    sum += static_cast<double>(workload.values[stream.first_value + i]);
  }
  return sum;
}

TEST(Tile, EndsStayOneRankWide) {
  const Workload made = tile(four_ranks(), {.fine = {4, 1, 1}, .extents = {8, 1, 1}});
  const std::vector<double> parts{1, 2, 2, 2, 3, 3, 3, 4};
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    EXPECT_NEAR(work_of(made, rank), 20e-3 * parts[rank], 1e-7) << rank;
  }
}

// Products of two positions do not fit into 32 bits.
TEST(Tile, ALongRowOfRanksKeepsItsOrder) {
  constexpr std::uint32_t kRanks = 70'000;
  GenerateOptions row = stencil(kRanks, 1);
  row.iterations = 2;
  Workload workload = generate_stencil(row);
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    workload.streams[rank].scale = rank + 1.0;
  }
  const Workload made = tile(workload, {.fine = {kRanks, 1, 1}, .extents = {kRanks, 1, 1}});
  for (const std::uint32_t rank : {60'000U, 65'000U, kRanks - 2}) {
    EXPECT_NEAR(work_of(made, rank), 1e-3 * (rank + 1.0), 1e-4);
  }
}

TEST(Tile, ContrastMovesWorkAwayFromTheMean) {
  const TileOptions options{.fine = {4, 1, 1}, .extents = {4, 1, 1}, .contrast = 1.5};
  const Workload made = tile(four_ranks(), options);
  const std::vector<double> works{0.25, 1.75, 3.25, 4.75};  // ms, around 2.5
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(work_of(made, rank), 20e-3 * works[rank], 1e-6) << rank;
  }
  const Workload floored = tile(four_ranks(), {.fine = {4, 1, 1}, .extents = {4, 1, 1}, .contrast = 10.0});
  EXPECT_NEAR(work_of(floored, 0), 20 * 0.05 * 2.5e-3, 1e-6);
}

// What comes before the first call of MPI_Migrate may be anything.
TEST(Tile, LeavesOutWhatComesBeforeTheMainLoop) {
  const auto write = [](std::uint32_t rank, TemplateBuilder& builder) {
    const std::uint32_t last = 3;
    const Peer far = Peer::rank(last - rank);
    if (rank == 0 || rank == last) {
      builder.compute(5.0)
          .isend({.peer = far, .bytes = 8, .tag = 7}, 1)
          .recv({.peer = far, .bytes = 8, .tag = 7})
          .wait(1);
    }
    builder.migrate(100).compute(1.0).migrate(100).compute(1.0).migrate(100).compute(9.0);
  };
  const Workload made = tile(make_workload(4, write), {.fine = {4, 1, 1}, .extents = {6, 1, 1}});
  EXPECT_EQ(migrate_calls(made), 2U);
  EXPECT_NEAR(work_of(made, 0), 2.0, 1e-6);
  EXPECT_EQ(pair_channels(made).channels, 0U);
}

// Ranks in a row that call all ranks together once an iteration; the call stands behind one that the loop does not
// make.
Workload with_calls(std::uint32_t ranks, const CollectiveCall& call) {
  Workload workload = make_workload(ranks, [](std::uint32_t rank, TemplateBuilder& builder) {
    builder.migrate(100);
    for (int i = 0; i < 2; ++i) {
      builder.compute(rank + 1.0).collective(1, 8).migrate(100);
    }
  });
  workload.calls = {{.kind = CollectiveKind::barrier}, call};
  return workload;
}

TEST(Tile, CallsOfAllRanksStay) {
  const CollectiveCall call{.kind = CollectiveKind::allreduce, .element = 8};
  const Workload made = tile(with_calls(4, call), {.fine = {4, 1, 1}, .extents = {6, 1, 1}, .bytes = 3.0});
  EXPECT_THAT(made.calls, testing::ElementsAre(call));
  EXPECT_EQ(std::ranges::count(made.actions, Action{.kind = ActionKind::collective, .index = 0, .value = 8}), 4);
  const Seconds longest = 2 * 4.0;
  EXPECT_NEAR(makespan(made, 6), longest, 0.01);
  EXPECT_GT(makespan(made, 6), longest);
}

TEST(Tile, RefusesOtherCollectiveCalls) {
  const auto tiled = [](const CollectiveCall& call) {
    Workload fine = with_calls(4, call);
    fine.comms.push_back({.first_member = 0, .members = 4});
    fine.members = {0, 1, 2, 3};
    fine.counts = {8, 8, 8, 8};
    return [fine] { tile(fine, {.fine = {4, 1, 1}, .extents = {6, 1, 1}}); };
  };
  const auto refused = ThrowsMessage<WorkloadError>(HasSubstr("rank 0 has a collective call of some ranks"));
  EXPECT_THAT(tiled({.kind = CollectiveKind::allreduce, .comm = 1}), refused);
  EXPECT_THAT(tiled({.kind = CollectiveKind::gather, .counts = 4}), refused);
  EXPECT_THAT(tiled({.kind = CollectiveKind::gather, .varies = 1}), refused);
  EXPECT_THAT(tiled({.kind = CollectiveKind::bcast, .root = 3}), refused);
}

TEST(Tile, RefusesWhatDoesNotFit) {
  const Workload fine = generate_stencil(stencil(4, 3));
  EXPECT_THAT(
      [&] {
        tile(fine, {.fine = {4, 4, 1}, .extents = {4, 4, 1}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("4 x 4 x 1 ranks is not one of 12")));
  EXPECT_THAT(
      [&] {
        tile(fine, {.fine = {4, 3, 1}, .extents = {4, 3, 2}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("1 recorded ranks in direction 2 do not become 2")));
  EXPECT_THAT(
      [&] {
        tile(fine, {.fine = {6, 2, 1}, .extents = {6, 3, 1}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("direction 1")));
  EXPECT_THAT(
      [&] {
        tile(fine, {.fine = {4, 3, 1}, .extents = {4, 3, 1}, .work = -1.0});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("factors")));
  EXPECT_THAT(
      [&] {
        tile(fine, {.fine = {2, 6, 1}, .extents = {2, 6, 1}});
      },
      ThrowsMessage<WorkloadError>(HasSubstr("no neighbour in the grid")));
  GenerateOptions once = stencil(4, 3);
  once.iterations = 1;
  EXPECT_THAT(
      [&] {
        tile(generate_stencil(once), {.fine = {4, 3, 1}, .extents = {4, 3, 1}});
      },
      ThrowsMessage<WorkloadError>(HasSubstr("no main loop")));
}

}  // namespace
}  // namespace weft::sim::test
