// Steps before a job runs: binds its workers, prints the table of --display map, opens the files of ranks' output.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "launch/job_size.hpp"
#include "launch/launch_config.hpp"
#include "runtime/job/job.hpp"
#include "runtime/output/output.hpp"

namespace weft::launch {

// Chooses what the workers of this process are bound to. The choice holds while the result lives; null: they are not
// bound.
std::unique_ptr<runtime::CoreBinding> bind_workers(const LaunchConfig& config, const OtherProcesses& others,
                                                   runtime::JobConfig& job);

// Lets process 0 print where the ranks start and what workers are bound to, as `config` asks for. All processes call
// it, before ranks run. `bound_to` is JobConfig::bound_to.
void display_map(const LaunchConfig& config, const runtime::Job& job,
                 const std::vector<std::vector<std::uint32_t>>& bound_to, OtherProcesses& others);

// Makes the files of --output-filename for the ranks that start in this process, and lets `output` write to them, too.
void copy_output(const LaunchConfig& config, const runtime::Job& job, runtime::Output& output);

}  // namespace weft::launch
