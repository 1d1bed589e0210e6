// Many replays of the same workloads with different settings, on all cores: a replay each.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lb/decider.hpp"
#include "sim/network.hpp"
#include "sim/platform_change.hpp"
#include "sim/replay.hpp"

namespace weft::sim {

struct Setting {
  std::uint32_t workload = 0;  // of the input's
  std::uint32_t ratio = 0;     // ranks on each worker; 0: as many as the platform's workers make of it
  PlatformChange change{};
  std::string placement = "blocks";  // as homes_of() reads it
  std::string network = "ports";     // as network_named() does
  lb::DeciderOptions balancing{};
  std::uint64_t seed = 0;  // not 0: computing and links differ at random, as far as the platform is uncertain
};

// What each setting may be: settings are all combinations.
struct SettingAxes {
  std::vector<std::string> strategies{"none"};
  std::vector<std::string> whens{"every"};
  std::vector<std::string> models{"last"};
  std::vector<std::string> placements{"blocks"};
  std::vector<std::string> networks{"ports"};
  std::vector<std::uint32_t> ratios{0};
  std::vector<std::uint32_t> hosts{0};
  std::vector<std::uint32_t> processes{0};
  std::vector<std::uint32_t> workers{0};
  std::vector<double> speeds{1.0};
  std::vector<double> latencies{1.0};
  std::vector<double> bandwidths{1.0};
  std::vector<std::string> values{};  // of all settings alike
};
// In the order of the axes, the last one fastest. Without balancing there is no rule of when and no load model: such a
// setting is there once.
std::vector<Setting> settings_of(const SettingAxes& axes, std::uint32_t workloads);

struct Outcome {
  std::uint32_t ranks = 0;
  std::uint32_t workers = 0;
  std::uint32_t processes = 0;
  std::uint32_t hosts = 0;
  Seconds makespan = 0.0;
  double imbalance = 1.0;  // the longest worker's computing over the mean
  std::uint64_t steps = 0;
  std::uint64_t moves = 0;
  Seconds stepping = 0.0;  // that steps took
};

struct SweepInput {
  std::span<const Workload> workloads;
  const PlatformFile& platform;
};

// A setting with all that it names.
struct PreparedReplay {
  const Workload* workload = nullptr;
  Platform platform;
  ReplayOptions options;
  std::uint64_t seed = 0;
};
// Throws what says which name or platform makes no sense.
PreparedReplay prepare(const SweepInput& input, const Setting& setting);

using ShowProgress = std::function<void(std::size_t done, std::size_t all)>;

// By setting. Throws what replay() throws, of the first setting that cannot be replayed, and before any replay for
// names and platforms that make no sense. `show` is called by one thread at a time.
std::vector<Outcome> replay_all(const SweepInput& input, std::span<const Setting> settings, unsigned threads,
                                const ShowProgress& show);

// "blocks": empty, consecutive ranks together; "in-turn": rank by rank; "file:NAME": for each rank its worker's number.
// Throws std::invalid_argument.
std::vector<std::uint32_t> homes_of(std::string_view placement, std::uint32_t ranks, std::uint32_t workers);

// Computing and links that differ at random from those given: each rank, each listed value and each parameter of a
// link by a factor of its own, whose quartiles are `uncertainty` away from 1. The same for the same seed.
Workload perturbed(Workload workload, const Uncertainty& uncertainty, std::uint64_t seed);
Platform perturbed(Platform platform, std::uint64_t seed);

}  // namespace weft::sim
