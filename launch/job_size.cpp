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
#include "runtime/bootstrap/standard_descriptors.hpp"
#include "runtime/placement/process_changes.hpp"
#include "runtime/placement/rank_mapping.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::launch {
namespace {

// Microseconds. A rank that is alone on its worker has no other rank to give the core to: NPB's CG lost 5 % when its
// workers went to sleep after 50.
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

// Without --universe there are some spare ranks, if slots stay large. Idle workers for them exist only with --universe
// or in a job of one rank: a job that never spawns has as many workers as it would have without spare ranks.
void size_universe(const LaunchConfig& config, runtime::JobConfig& job) {
  constexpr std::uint32_t kSpare = 64;
  constexpr std::uint64_t kLargeSlot = std::uint64_t{64} << 30;
  if (config.universe) {
    job.max_spawned = *config.universe - std::min(job.ranks, *config.universe);
  } else {
    job.max_spawned = config.region.size / (job.ranks + kSpare) >= kLargeSlot ? kSpare : 0;
  }
  job.idle_workers = config.universe || job.ranks == 1;
}

placement::JobShape shape_of(const placement::NextProcesses& processes) {
  placement::JobShape shape;
  std::vector<std::string> names;
  for (const auto& process : processes) {
    shape.workers.push_back(process.workers);
    names.push_back(process.host);
  }
  shape.hosts = hosts_of(placement::plan_of_hosts(names).processes);
  return shape;
}

// Why a job cannot continue with these processes; empty: it can.
std::string why_not_changed(const runtime::JobConfig& job, bool has_input, const placement::NextProcesses& next) {
  if (next.empty()) {
    return "none would be left";
  }
  if (next.size() > job.ranks) {
    return fmt::format("it has {} ranks, not one for each of {} processes", job.ranks, next.size());
  }
  try {
    place_ranks(job.mapping, shape_of(next), job.ranks);
    base::check_process_limits(next.size());
  } catch (const std::exception& error) {
    return error.what();
  }
  if (job.lb_continuous && next.size() > 1) {
    return kContinuousWithin;
  }
  if (const std::string& host = job.processes.front().host; has_input && next.front().host != host) {
    return fmt::format("standard input is on host {}, where process 0 has to stay: < /dev/null lets it go", host);
  }
  return {};
}

}  // namespace

void apply_rank_count(const LaunchConfig& config, runtime::JobConfig& job) {
  std::uint32_t workers = 0;
  for (const auto& process : job.processes) {
    workers += process.workers;
  }
  const bool are_alone = config.may_spin_longer && job.ranks <= workers;
  job.spin_us = are_alone ? std::max(config.job.spin_us, kSpinAlone) : config.job.spin_us;
  size_universe(config, job);
  job.why_not_changed = [job, has_input = !bootstrap::input_identity().empty()](const auto& next) {
    return why_not_changed(job, has_input, next);
  };
}

runtime::JobConfig sized_job(const LaunchConfig& config, const OtherProcesses& others) {
  auto job = config.job;
  placement::JobShape shape;
  std::uint32_t total = 0;
  if (others) {
    job.workers = others->workers().workers;
    job.bind = job.bind && others->has_own_cores();
    job.hosts = others->hosts();
    job.named_hosts = hosts_of(config.places);
    job.host_cores = others->host_cores();
    if (job.lb_continuous && others->count() > 1) {
      throw std::runtime_error(fmt::format("{}; this job has {}", kContinuousWithin, others->count()));
    }
    for (std::uint32_t p = 0; p < others->count(); ++p) {
      job.processes.push_back({.host = others->host_names()[p], .workers = others->worker_counts()[p], .before = p});
    }
    total = others->workers().total;
    shape = {.workers = others->worker_counts(), .hosts = job.named_hosts.empty() ? job.hosts : job.named_hosts};
  } else {
    job.workers = config.workers ? *config.workers : static_cast<std::uint32_t>(runtime::allowed_cores().size());
    job.processes.push_back({.host = known_host_name(config), .workers = job.workers, .before = 0});
    total = job.workers;
    shape = {.workers = {total}, .hosts = {}};
  }
  job.ranks = ranks_of(config, shape, total);
  if (config.may_spin_longer) {
    job.idle_spin_us = kIdleSpinMicroseconds;
  }
  apply_rank_count(config, job);
  job.addresses_are_fixed = bootstrap::addresses_are_fixed();
  return job;
}

}  // namespace weft::launch
