// Restarts a job from a checkpoint. All functions throw std::runtime_error with one line.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"

namespace weft::launch {

// Locks the folders of checkpoints that the job writes to and reads from: one job at a time writes to a folder, and
// none while another one reads from it.
void lock_folders(runtime::JobConfig& job);

// Sets in `job` what is kept in the checkpoint of --restart, such as its command and number of ranks. Throws where
// `ranks`, the number that -n asks for, or the arguments in job.command differ from the checkpoint's.
void apply_checkpoint(std::optional<std::uint32_t> ranks, runtime::JobConfig& job);

// Throws unless the checkpoint of --restart, if there is one, is of this program.
void check_restart(const runtime::JobConfig& job, const runtime::Program& program);

}  // namespace weft::launch
