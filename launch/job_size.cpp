#include "launch/job_size.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/thread_start.hpp"
#include "runtime/bootstrap/addresses.hpp"
#include "runtime/placement/rank_mapping.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::launch {
namespace {

// Microseconds. A rank that is alone on its worker has nobody to give the core to; NPB's CG lost 5 % by going to sleep
// after 50.
constexpr std::uint32_t kSpinAlone = 500;
constexpr std::uint32_t kIdleSpinMicroseconds = 3000;

std::uint32_t ranks_of(const LaunchConfig& config, const placement::JobShape& shape, std::uint32_t workers) {
  if (config.ranks) {
    return *config.ranks;
  }
  return config.job.mapping.per_unit == 0 ? config.ratio * workers : placement::full_ranks(config.job.mapping, shape);
}

std::vector<std::uint32_t> hosts_of(const std::vector<placement::ProcessPlace>& places) {
  std::vector<std::uint32_t> hosts;
  for (const placement::ProcessPlace& place : places) {
    hosts.push_back(place.host);
  }
  return hosts;
}

constexpr const char* kContinuousWithin =
    "--lb-continuous works within one process; --lb refine --migrate-at barrier moves ranks between processes, too";

}  // namespace

// Unasked, some, where slots stay large; and a job that never spawns has no other workers than it would have, unless it
// is one rank.
void size_universe(const LaunchConfig& config, runtime::JobConfig& job) {
  constexpr std::uint32_t kSpare = 64;
  constexpr std::uint64_t kLargeSlot = std::uint64_t{64} << 30;
  if (config.universe) {
    job.spare = *config.universe - std::min(job.ranks, *config.universe);
  } else {
    job.spare = config.region.size / (job.ranks + kSpare) >= kLargeSlot ? kSpare : 0;
  }
  job.idle_workers = config.universe || job.ranks == 1;
}

namespace {

// Why a job cannot go on with so many processes, each with as many workers as this one has; empty: it can.
std::string why_not_resized(const runtime::JobConfig& job, bool is_elsewhere, std::uint32_t processes) {
  if (is_elsewhere) {
    return "it runs on another host than weftrun";
  }
  if (job.has_several_hosts() || std::ranges::any_of(job.named_hosts, [](std::uint32_t host) { return host != 0; })) {
    return "it runs on several hosts";
  }
  try {
    const placement::JobShape shape{.workers = std::vector(processes, job.workers), .hosts = {}};
    place_ranks(job.mapping, shape, job.ranks);
    base::require_processes(processes);
  } catch (const std::exception& error) {
    return error.what();
  }
  if (job.share && processes > 1) {
    return kContinuousWithin;
  }
  return processes > job.ranks ? fmt::format("it has {} ranks, not one for each of {} processes", job.ranks, processes)
                               : std::string();
}

}  // namespace

runtime::JobConfig sized_job(const LaunchConfig& config, const OtherProcesses& others) {
  auto job = config.job;
  placement::JobShape shape;
  std::uint32_t total = 0;
  if (others) {
    job.workers = others->workers().workers;
    job.bind = job.bind && others->own_cores();
    job.hosts = others->hosts();
    job.named_hosts = hosts_of(config.places);
    job.host_cores = others->host_cores();
    if (job.share && others->count() > 1) {
      throw std::runtime_error(fmt::format("{}; this job has {}", kContinuousWithin, others->count()));
    }
    total = others->workers().total;
    shape = {.workers = others->worker_counts(), .hosts = job.named_hosts.empty() ? job.hosts : job.named_hosts};
  } else {
    job.workers = config.workers ? *config.workers : static_cast<std::uint32_t>(runtime::allowed_cores().size());
    total = job.workers;
    shape = {.workers = {total}, .hosts = {}};
  }
  job.ranks = ranks_of(config, shape, total);
  if (config.may_spin_longer && job.ranks <= total) {
    job.spin_us = std::max(job.spin_us, kSpinAlone);
  }
  if (config.may_spin_longer) {
    job.idle_spin_us = kIdleSpinMicroseconds;
  }
  size_universe(config, job);
  job.why_not_resized = [job, is_elsewhere = !config.host_name.empty()](std::uint32_t processes) {
    return why_not_resized(job, is_elsewhere, processes);
  };
  job.addresses_are_fixed = bootstrap::addresses_are_fixed();
  return job;
}

}  // namespace weft::launch
