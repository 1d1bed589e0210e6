// weftrun's --survive: checks the options that go with it, and configures the job's processes.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/options.hpp"
#include "launch/launch_config.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/folder_lock.hpp"

namespace weft::tools {

// Whether the job is to survive deaths of processes. An empty variable means no.
bool may_survive(const base::OptionValues& values);
// The time after which a silent host is lost. Throws base::OptionError.
std::chrono::milliseconds survival_silence(const base::OptionValues& values);
// Whether only ULFM's calls are used: --survive api.
bool survives_by_api(const base::OptionValues& values);
// Throws OptionError if the interval is invalid, or with options that cannot go with --survive.
void check_survival(const base::OptionValues& values);
// Configures a process that weftrun has started: it reports images to `launcher`. `images` is the value of WEFT_IMAGES.
// Throws std::runtime_error.
void set_survival(launch::LaunchConfig& config, const base::OptionValues& values, const std::string& images,
                  bootstrap::Bootstrap& launcher);

// Locks the folder of --checkpoint. In a job of --survive weftrun holds this lock, since checkpoints may still be
// written after the ranks have ended. Removes what a killed job has left in the folder. Null: there is no --checkpoint.
// Throws std::runtime_error.
std::unique_ptr<bootstrap::FolderLock> lock_checkpoints(const base::OptionValues& values);

}  // namespace weft::tools
