#include "sim/platform.hpp"

#include <algorithm>
#include <cmath>

namespace weft::sim {
namespace {

ShareStep share_at(const Platform& platform, std::uint32_t worker, Seconds time) {
  std::uint32_t threads = 0;
  Interference least;
  for (const Interference& interference : platform.interferences) {
    if (interference.worker == worker && interference.from <= time && time < interference.until) {
      threads += interference.threads;
      least = interference.quota < least.quota ? interference : least;
    }
  }
  const double even = 1.0 / (1.0 + threads);
  if (least.quota < even) {
    return {.from = time, .share = least.quota, .period = least.period, .others = threads > 0, .is_quota = true};
  }
  const Seconds period = threads > 0 ? platform.time_slice * (1.0 + threads) : 0.0;
  return {.from = time, .share = even, .period = period, .others = threads > 0};
}

// Equal apart from the times.
bool alike(const ShareStep& a, ShareStep b) {
  b.from = a.from;
  return a == b;
}

}  // namespace

std::vector<ShareStep> Platform::shares_of(std::uint32_t worker) const {
  std::vector<Seconds> times;
  for (const Interference& interference : interferences) {
    if (interference.worker == worker) {
      times.insert(times.end(), {interference.from, interference.until});
    }
  }
  std::ranges::sort(times);
  std::vector<ShareStep> steps;
  ShareStep last;
  for (const Seconds time : times) {
    const ShareStep step = share_at(*this, worker, time);
    if (std::isfinite(time) && !alike(last, step)) {
      steps.push_back(step);
      last = step;
    }
  }
  return steps;
}

std::array<LinkCost, lb::kDistancesWithinHost> default_memory_links() {
  return {LinkCost{.overhead = 0.04e-6, .copy_per_byte = 0.05e-9},
          LinkCost{.overhead = 0.05e-6, .latency = 0.1e-6, .copy_per_byte = 0.05e-9},
          LinkCost{.overhead = 0.05e-6, .latency = 0.2e-6, .copy_per_byte = 0.1e-9},
          LinkCost{.overhead = 0.2e-6, .latency = 0.5e-6, .gap = 0.1e-6, .per_byte = 0.1e-9, .copy_per_byte = 0.1e-9}};
}

Platform make_platform(const UniformPlatform& shape) {
  Platform platform;
  platform.sites = {"site"};
  platform.within_site = {shape.link};
  platform.near = default_memory_links();
  platform.processes = shape.hosts * shape.processes;
  for (std::uint32_t host = 0; host < shape.hosts; ++host) {
    platform.hosts.push_back("host" + std::to_string(host));
    for (std::uint32_t core = 0; core < shape.cores; ++core) {
      const std::uint32_t process = host * shape.processes + core * shape.processes / shape.cores;
      platform.workers.push_back({.numa = host, .process = process, .host = host});
    }
  }
  return platform;
}

}  // namespace weft::sim
