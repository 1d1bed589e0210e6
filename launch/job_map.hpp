// What is shown and kept of a job that is about to run: the table of --display map, files of ranks' output.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "launch/job_size.hpp"
#include "launch/launch_config.hpp"
#include "runtime/job/job.hpp"
#include "runtime/output/output.hpp"

namespace weft::launch {

// Chooses what the workers of this process are bound to, as long as the result lives; null where they are not.
std::unique_ptr<runtime::CoreBinding> bind_workers(const LaunchConfig& config, const OtherProcesses& others,
                                                   runtime::JobConfig& job);

// Process 0 prints where the ranks start and what workers are bound to, as `config` asks for. All processes call it,
// before ranks run; `bound_to` is JobConfig's.
void display_map(const LaunchConfig& config, const runtime::Job& job,
                 const std::vector<std::vector<std::uint32_t>>& bound_to, OtherProcesses& others);

// Makes the files of --output-filename for the ranks that start in this process; `output` then writes to them, too.
void copy_output(const LaunchConfig& config, const runtime::Job& job, runtime::Output& output);

}  // namespace weft::launch
