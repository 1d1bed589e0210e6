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
  for (const char* name : {"stencil", "bsp", "ping-pong", "ring"}) {
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
  EXPECT_THROW(generate("stencil", {.extents = {0, 1, 1}}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.extents = {1 << 20, 1 << 20, 1}}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.iterations = 0}), std::invalid_argument);
  EXPECT_THROW(generate("stencil", {.amount = 2}), std::invalid_argument);
  EXPECT_THROW(imbalance_named("odd"), std::invalid_argument);
}

}  // namespace
}  // namespace weft::sim::test
