// Small workloads and platforms of the simulator's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/replay.hpp"
#include "sim/template_builder.hpp"

namespace weft::sim::test {

// Each rank has a template of its own.
inline Workload make_workload(std::uint32_t ranks, const std::function<void(std::uint32_t, TemplateBuilder&)>& write) {
  Workload workload;
  TemplateBuilder builder(workload);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    write(rank, builder);
    workload.streams.push_back({.pattern = builder.finish()});
  }
  return workload;
}

inline constexpr LinkCost kLink{.overhead = 1e-6, .latency = 20e-6, .gap = 3e-6, .per_byte = 1e-9, .copy_per_byte = 0};

// Hosts of one core.
inline Platform hosts_of_one_core(std::uint32_t hosts, const LinkCost& link = kLink) {
  return make_platform({.hosts = hosts, .link = link});
}

// Two sites of hosts with one core each, "left" and "right", joined by a trunk.
inline Platform two_sites(std::uint32_t hosts_of_site, const LinkCost& link, const LinkCost& trunk) {
  Platform platform = hosts_of_one_core(2 * hosts_of_site, link);
  platform.sites = {"left", "right"};
  platform.within_site = {link, link};
  for (WorkerPlace& place : platform.workers) {
    place.site = place.host < hosts_of_site ? 0 : 1;
  }
  platform.trunks = {{.from = 0, .to = 1, .cost = trunk}};
  return platform;
}

// One process whose workers' messages and switches cost nothing.
inline Platform free_memory(std::uint32_t workers) {
  Platform platform = make_platform({.cores = workers});
  platform.near = {};
  platform.switch_cost = 0.0;
  return platform;
}

// When each rank ends.
inline std::vector<Seconds> ends(const Workload& workload, const Platform& platform, std::vector<std::uint32_t> homes) {
  return replay(workload, platform, {.homes = std::move(homes)}).ended;
}

inline void expect_seconds(Seconds simulated, Seconds expected) { EXPECT_NEAR(simulated, expected, 1e-9 * expected); }

// Ignores the progress of a sweep.
inline void ignore(std::size_t, std::size_t) {}

}  // namespace weft::sim::test
