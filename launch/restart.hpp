// A job that goes on from a checkpoint. All throw std::runtime_error with one line.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"

namespace weft::launch {

// One job writes to a folder of checkpoints; nobody writes to one while a job reads from it.
void lock_folders(runtime::JobConfig& job);

// What the job takes over from the one that wrote the checkpoint of --restart. Throws where `ranks`, the number that -n
// asks for, or job.command is another one.
void take_over(std::optional<std::uint32_t> ranks, runtime::JobConfig& job);

// The checkpoint of --restart, if there is one, is of this program.
void check_restart(const runtime::JobConfig& job, const runtime::Program& program);

}  // namespace weft::launch
