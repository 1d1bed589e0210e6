#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/generate.hpp"
#include "sim/pairing.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

TEST(Generate, AllWorkloadsMakeSense) {
  for (const char* name : {"stencil", "bsp", "ping-pong", "ring", "lbm", "smith-waterman"}) {
    for (const std::uint32_t x : {1U, 2U, 5U}) {
      for (const std::uint32_t y : {2U, 4U}) {
        for (const std::uint32_t z : {1U, 3U}) {
          const Workload workload = generate(name, {.extents = {x, y, z}, .iterations = 3, .work = 1e-6});
          check_workload(workload);
          pair_channels(workload);
          const ReplayResult result = replay(workload, make_platform({.hosts = 2, .processes = 2, .cores = 4}));
          EXPECT_EQ(result.actions, expanded_actions(workload)) << name;
        }
      }
    }
  }
}

TEST(Generate, RanksOfAGridShareTemplates) {
  const Workload workload = generate("stencil", {.extents = {9, 9, 9}});
  EXPECT_EQ(workload.templates.size(), 27U);
  EXPECT_EQ(workload.streams.size(), 729U);
  // 6 messages to each rank, but for those at the six faces of the grid.
  const auto messages = replay(workload, make_platform({.hosts = 1, .cores = 27})).messages;
  EXPECT_EQ(messages, 100U * (6 * 729 - 6 * 81));
}

TEST(Generate, AnEvenStencilTakesItsWork) {
  const Workload workload = generate("stencil", {.extents = {4, 4, 1}, .iterations = 10, .work = 0.5, .bytes = 8});
  EXPECT_NEAR(replay(workload, free_memory(16)).makespan, 5, 1e-6);
  EXPECT_NEAR(replay(workload, free_memory(4)).makespan, 20, 1e-6);
}

Seconds sum(const std::vector<Seconds>& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

std::uint64_t calls_of_migrate(const Workload& workload) {
  return replay(workload, free_memory(4), {.keep_iterations = true}).iterations.size();
}

TEST(Generate, LbmTakesASlabsWorkInEachSuperstep) {
  const Workload workload = generate("lbm", {.extents = {10, 1, 1}, .iterations = 20, .work = 0.5, .bytes = 8});
  const ReplayResult result = replay(workload, free_memory(10));
  EXPECT_NEAR(result.makespan, 10, 1e-6);
  EXPECT_EQ(result.messages, 20U * (9 + 2 * 9));  // to the right, and the barrier's
  EXPECT_EQ(calls_of_migrate(workload), 20U);
}

// 2n - 1 supersteps of rising work, in each of which those on one diagonal compute (Righi 2009, 5.5.1).
TEST(Generate, SmithWatermanIsAWavefront) {
  const Workload workload = generate("smith-waterman", {.extents = {5, 1, 1}, .work = 9, .bytes = 8, .first_work = 1});
  const ReplayResult result = replay(workload, free_memory(5));
  EXPECT_NEAR(result.makespan, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9, 1e-5);
  EXPECT_NEAR(sum(result.busy), 1 + 2 * 2 + 3 * 3 + 4 * 4 + 5 * 5 + 4 * 6 + 3 * 7 + 2 * 8 + 9, 1e-5);
  EXPECT_EQ(result.messages, 5U * 4 + 9 * 2 * 4);
  EXPECT_EQ(calls_of_migrate(workload), 9U);
}

// Stage k of LU computes n - 1 - k cells of a column and their square of the rest, dealt to ranks in turn.
TEST(Generate, LuDealsCells) {
  const Workload workload =
      generate("lu", {.extents = {2, 3, 1}, .iterations = 12, .work = 1, .bytes = 8, .rank_bytes = 1});
  const ReplayResult result = replay(workload, free_memory(6));
  Seconds cells = 0;
  Seconds longest = 0;  // rows and columns that an owner of the last ones has left
  for (int k = 0; k < 12; ++k) {
    const int rows = (11 - k + 2) / 3;
    const int columns = (11 - k + 1) / 2;
    cells += (11 - k) + (11 - k) * (11 - k);
    longest += rows + rows * columns;
  }
  EXPECT_NEAR(sum(result.busy), cells, 1e-6);
  EXPECT_NEAR(result.makespan, longest, 1e-3);
  EXPECT_EQ(calls_of_migrate(workload), 12U);
  // Each stage: one row and one column of ranks pass theirs on, and the next diagonal cell goes down; two barriers.
  EXPECT_EQ(result.messages, 12U * (3 * 1 + 2 * 2 + 2 + 2 * 2 * 5) + 2 + 2 * 5);
}

TEST(Generate, PinnedRanksStay) {
  const Workload workload = generate("lbm", {.extents = {4, 1, 1}, .iterations = 9, .work = 1, .may_move = false});
  const ReplayResult result =
      replay(workload, free_memory(2), {.homes = {0, 0, 0, 0}, .balancing = {.strategy = "greedy", .when = "every:3"}});
  EXPECT_EQ(result.steps.size(), 3U);
  EXPECT_TRUE(std::ranges::all_of(result.steps, [](const StepReport& step) { return step.moves == 0; }));
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Generate, ImbalancesAreWhatTheirNamesSay) {
  EXPECT_EQ(scales_of(Imbalance::even, 0.5, 3), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(scales_of(Imbalance::linear, 0.5, 3), (std::vector<double>{0.5, 1, 1.5}));
  EXPECT_EQ(scales_of(Imbalance::block, 2, 9), (std::vector<double>{3, 3, 1, 1, 1, 1, 1, 1, 1}));
  const std::vector<double> random = scales_of(Imbalance::random, 0.5, 10000);
  EXPECT_NEAR(mean(random), 1, 0.01);
  EXPECT_GE(std::ranges::min(random), 0.5);
  EXPECT_LE(std::ranges::max(random), 1.5);
  EXPECT_EQ(random, scales_of(Imbalance::random, 0.5, 10000));
}

TEST(Generate, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(generate("stencyl", {}), std::invalid_argument);
  EXPECT_THROW(generate("ping-pong", {.extents = {3, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(generate("ring", {}), std::invalid_argument);
  EXPECT_THROW(generate("smith-waterman", {}), std::invalid_argument);
  EXPECT_THROW(generate("lu", {.extents = {2, 3, 1}, .iterations = 10}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.extents = {0, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.extents = {1 << 20, 1 << 20, 1}}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.iterations = 0}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.amount = 2}), std::invalid_argument);
  EXPECT_THROW(imbalance_named("odd"), std::invalid_argument);
}

}  // namespace
}  // namespace weft::sim::test
