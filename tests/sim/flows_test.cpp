// Long messages that share links, in closed form.
#include <gtest/gtest.h>

#include "sim/generate.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

constexpr std::uint64_t kBytes = 10'000'000;
constexpr LinkCost kTrunk{.overhead = 1e-6, .latency = 100e-6, .gap = 0, .per_byte = 2e-9, .copy_per_byte = 0};

// The trunk has half of a host's bandwidth.
Platform dumbbell(std::uint32_t hosts_of_site) {
  Platform platform = two_sites(hosts_of_site, kLink, kTrunk);
  platform.eager_limit = std::uint64_t{1} << 40;
  return platform;
}

struct Flight {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t bytes;
  Seconds begin = 0.0;
};

// Each rank is in one flight at most, on the host of its number.
std::vector<Seconds> ends_of_flights(const std::vector<Flight>& flights, const Platform& platform) {
  const auto ranks = static_cast<std::uint32_t>(platform.hosts.size());
  const Workload workload = make_workload(ranks, [&](std::uint32_t rank, TemplateBuilder& builder) {
    for (const Flight& flight : flights) {
      if (flight.from == rank) {
        builder.compute(flight.begin).send({.peer = Peer::rank(flight.to), .bytes = flight.bytes});
      } else if (flight.to == rank) {
        builder.recv({.peer = Peer::rank(flight.from), .bytes = flight.bytes});
      }
    }
  });
  std::vector<Seconds> ended;
  const ReplayResult result = replay(workload, platform, {.network = NetworkModel::flows});
  for (const Flight& flight : flights) {
    ended.push_back(result.ended[flight.to]);
  }
  return ended;
}

Seconds beside_bytes(const LinkCost& link) { return 2 * link.overhead + link.latency; }

TEST(Flows, OneFlowHasTheLinkForItself) {
  expect_seconds(ends_of_flights({{0, 1, kBytes}}, dumbbell(2))[0], beside_bytes(kLink) + kBytes * kLink.per_byte);
}

TEST(Flows, TheTrunkOfADumbbellIsShared) {
  for (const std::uint32_t pairs : {1U, 2U, 5U, 8U}) {
    std::vector<Flight> flights;
    for (std::uint32_t i = 0; i < pairs; ++i) {
      flights.push_back({i, pairs + i, kBytes});
    }
    for (const Seconds end : ends_of_flights(flights, dumbbell(pairs))) {
      expect_seconds(end, beside_bytes(kTrunk) + static_cast<double>(pairs * kBytes) * kTrunk.per_byte);
    }
  }
}

TEST(Flows, WhoIsLeftGetsTheRest) {
  const std::vector<Seconds> end = ends_of_flights({{0, 2, kBytes}, {1, 3, 3 * kBytes}}, dumbbell(2));
  expect_seconds(end[0], beside_bytes(kTrunk) + 2 * kBytes * kTrunk.per_byte);
  expect_seconds(end[1], beside_bytes(kTrunk) + 4 * kBytes * kTrunk.per_byte);
}

TEST(Flows, WhoComesLaterTakesAPart) {
  const Seconds alone = kBytes * kTrunk.per_byte / 2;
  const std::vector<Seconds> end = ends_of_flights({{0, 2, kBytes}, {1, 3, kBytes, alone}}, dumbbell(2));
  expect_seconds(end[0], beside_bytes(kTrunk) + kBytes * kTrunk.per_byte * 1.5);
  expect_seconds(end[1], beside_bytes(kTrunk) + kBytes * kTrunk.per_byte * 2);
}

// What crosses the trunk has a quarter of a host's bandwidth each; the flow beside it in the same port gets the rest.
TEST(Flows, WhatOneLinkDeniesAnotherGives) {
  Platform platform = dumbbell(3);
  const Workload workload = make_workload(6, [](std::uint32_t rank, TemplateBuilder& builder) {
    const auto to = [&](std::uint32_t peer, std::uint64_t bytes) {
      return MessageSpec{.peer = Peer::rank(peer), .bytes = bytes};
    };
    if (rank == 0) {
      builder.isend(to(3, kBytes), 1).isend(to(1, 3 * kBytes), 2).wait(1, 2);
    } else if (rank == 2) {
      builder.send(to(4, kBytes));
    } else if (rank == 3 || rank == 1) {
      builder.recv(to(0, 0));
    } else if (rank == 4) {
      builder.recv(to(2, 0));
    }
  });
  const LinkCost free{};
  platform.within_site = {free, free};
  platform.within_site[0].per_byte = kLink.per_byte;
  platform.trunks[0].cost = {.per_byte = kTrunk.per_byte};
  const ReplayResult result = replay(workload, platform, {.network = NetworkModel::flows});
  // The trunk's flows have a quarter of the port each, so the third has three quarters: all end together.
  for (const std::uint32_t rank : {1U, 3U, 4U}) {
    expect_seconds(result.ended[rank], 4 * kBytes * kLink.per_byte);
  }
}

TEST(Flows, ShortMessagesGoThroughPorts) {
  Platform platform = dumbbell(2);
  platform.flow_limit = kBytes + 1;
  const Seconds bytes = kBytes * kTrunk.per_byte;
  const std::vector<Seconds> end = ends_of_flights({{0, 2, kBytes}, {1, 3, kBytes}}, platform);
  expect_seconds(end[0], beside_bytes(kTrunk) + bytes);  // ports know no trunk
  expect_seconds(end[1], beside_bytes(kTrunk) + bytes);
}

TEST(Flows, TheSameInputGivesTheSameBits) {
  const Workload workload = generate(
      "stencil",
      {.extents = {6, 6, 3}, .iterations = 10, .bytes = 200'000, .imbalance = Imbalance::random, .amount = 0.5});
  const Platform platform = make_platform({.hosts = 6, .processes = 2, .cores = 4});
  const ReplayOptions options{.network = NetworkModel::flows, .balancing = {.strategy = "greedy", .when = "every:4"}};
  const ReplayResult first = replay(workload, platform, options);
  EXPECT_EQ(first.actions, expanded_actions(workload));
  EXPECT_EQ(first.ended, replay(workload, platform, options).ended);
  EXPECT_GT(first.makespan, replay(workload, platform, {.network = NetworkModel::loggp}).makespan / 2);
}

}  // namespace
}  // namespace weft::sim::test
