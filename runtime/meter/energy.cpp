#include "runtime/meter/energy.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

#include "runtime/meter/core_times.hpp"

namespace weft::runtime {
inline namespace meter {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double idle_of(const CoreTable& cores) {
  double idle = 0;
  for (const auto& [core, times] : cores) {
    idle += times.idle;
  }
  return idle;
}

}  // namespace

// "intel-rapl:N" is a package, or on some machines the whole platform (its file `name` says "psys", which is not looked
// at here). "intel-rapl:N:M" is a part of one.
EnergyCounters::EnergyCounters(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("intel-rapl:") || std::ranges::count(name, ':') != 1) {
      continue;
    }
    const auto value = number_in(entry.path() / "energy_uj");
    const auto range = number_in(entry.path() / "max_energy_range_uj");
    if (value && range) {
      packages_.push_back({(entry.path() / "energy_uj").string(), *value, *range});
    }
  }
}

double EnergyCounters::joules() {
  for (Package& package : packages_) {
    const std::uint64_t value = number_in(package.file).value_or(package.last);
    const std::uint64_t used = value >= package.last ? value - package.last : value + package.range - package.last;
    joules_ += 1e-6 * static_cast<double>(used);
    package.last = value;
  }
  return joules_;
}

double modelled_joules(double seconds, double busy, std::uint32_t cores) {
  const double use = seconds > 0 && cores > 0 ? std::clamp(busy / (seconds * cores), 0.0, 1.0) : 0.0;
  return seconds * (kBaseWatts + use * (kMostWatts - kBaseWatts));
}

EnergyMeter::EnergyMeter() : began_(now()), idle_before_(idle_of(read_core_times())) {}

double EnergyMeter::joules() {
  if (counters_.readable()) {
    return counters_.joules();
  }
  const CoreTable cores = read_core_times();
  const double seconds = now() - began_;
  const auto count = static_cast<std::uint32_t>(cores.size());
  return modelled_joules(seconds, seconds * count - (idle_of(cores) - idle_before_), count);
}

std::string EnergyMeter::source() const {
  return counters_.readable() ? "RAPL" : "modelled: 40 W, 107 W at full use of this machine";
}

}  // namespace meter
}  // namespace weft::runtime
