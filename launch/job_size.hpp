// How many ranks and workers a job has, of what the user wants and the machine offers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/launch_config.hpp"
#include "launch/processes.hpp"
#include "runtime/setup/config.hpp"

namespace weft::launch {

using OtherProcesses = std::optional<Processes>;

// config.job with its sizes, hosts and times of idle workers filled in. Throws std::runtime_error.
runtime::JobConfig sized_job(const LaunchConfig& config, const OtherProcesses& others);

// Fills in job.spare and job.idle_workers for job.ranks.
void size_universe(const LaunchConfig& config, runtime::JobConfig& job);

}  // namespace weft::launch
