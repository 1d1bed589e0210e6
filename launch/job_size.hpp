// Computes how many ranks and workers a job has, from what the user wants and what the machine offers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/launch_config.hpp"
#include "launch/processes.hpp"
#include "runtime/setup/config.hpp"

namespace weft::launch {

using OtherProcesses = std::optional<Processes>;

// Returns config.job with sizes, hosts and idle workers' spin times filled in. Throws std::runtime_error.
runtime::JobConfig sized_job(const LaunchConfig& config, const OtherProcesses& others);

// Fills in what depends on job.ranks: how long idle workers spin, spare ranks, and which changes of its processes the
// job allows. To be called again where a checkpoint sets another number of ranks than sized_job().
void apply_rank_count(const LaunchConfig& config, runtime::JobConfig& job);

}  // namespace weft::launch
