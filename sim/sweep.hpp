// Replays workloads with many settings, several replays at the same time.
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
  std::uint32_t workload = 0;  // index in SweepInput::workloads
  std::uint32_t ratio = 0;     // ranks per worker; 0: as follows from the platform's workers
  PlatformChange change{};
  std::string placement = "blocks";  // as homes_of() reads it
  std::string network = "ports";     // as network_named() reads it
  lb::DeciderOptions balancing{};
  std::uint64_t seed = 0;  // not 0: perturbs computing and links at random, by the platform's uncertainty
};

// The values of each part of a setting; the settings are all combinations.
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
  std::vector<std::string> values{};  // no axis: all apply to every setting
};
// In the order of the axes, the last one fastest. Rules of when and load models do not multiply settings without
// balancing.
std::vector<Setting> settings_of(const SettingAxes& axes, std::uint32_t workloads);

struct Outcome {
  std::uint32_t ranks = 0;
  std::uint32_t workers = 0;
  std::uint32_t processes = 0;
  std::uint32_t hosts = 0;
  Seconds makespan = 0.0;
  double imbalance = 1.0;  // the largest computing time of a worker divided by the mean
  std::uint64_t steps = 0;
  std::uint64_t moves = 0;
  Seconds stepping = 0.0;  // total time of balancing steps
};

struct SweepInput {
  std::span<const Workload> workloads;
  const PlatformFile& platform;
};

// A setting with its workload, platform and options.
struct PreparedReplay {
  const Workload* workload = nullptr;
  Platform platform;
  ReplayOptions options;
  std::uint64_t seed = 0;
};
// Throws an exception whose message says which name or platform is invalid.
PreparedReplay prepare(const SweepInput& input, const Setting& setting);

using ShowProgress = std::function<void(std::size_t done, std::size_t all)>;

// Returns the outcome of each setting. Throws what replay() throws for the first setting that cannot be replayed;
// throws before any replay for invalid names and platforms. `show` is called by one thread at a time.
std::vector<Outcome> replay_all(const SweepInput& input, std::span<const Setting> settings, unsigned threads,
                                const ShowProgress& show);

// The worker of each rank. "blocks": empty, which means blocks of consecutive ranks; "in-turn": round robin;
// "file:NAME": a file with each rank's worker. Throws std::invalid_argument.
std::vector<std::uint32_t> homes_of(std::string_view placement, std::uint32_t ranks, std::uint32_t workers);

// Multiplies the work of each rank, each listed value, and each parameter of a link by a random factor whose quartiles
// are `uncertainty` away from 1. The result is the same for the same seed.
Workload perturbed(Workload workload, const Uncertainty& uncertainty, std::uint64_t seed);
Platform perturbed(Platform platform, std::uint64_t seed);

}  // namespace weft::sim
