// weftrun's --survive: what it may be given with, and what of it a process of the job must know.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/options.hpp"
#include "launch/launch_config.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/folder_lock.hpp"

namespace weft::tools {

// Whether the job is to survive: an empty variable says no.
bool may_survive(const base::OptionValues& values);
// After how long a host that says nothing is lost. Throws base::OptionError.
std::chrono::milliseconds survival_silence(const base::OptionValues& values);
// Whether by ULFM's calls alone: --survive api.
bool survives_by_api(const base::OptionValues& values);
// Throws OptionError where the interval is none, or with options that cannot go with it.
void check_survival(const base::OptionValues& values);
// In a process that weftrun has started: `launcher` hears of images. `images`: what WEFT_IMAGES says. Throws
// std::runtime_error.
void set_survival(launch::LaunchConfig& config, const base::OptionValues& values, const std::string& images,
                  bootstrap::Bootstrap& launcher);

// Of --checkpoint in a job that survives: this process has the checkpoints written, also when the ranks have ended.
// What a killed one has left there is removed. Null: there is no --checkpoint. Throws FolderLock::Taken,
// std::runtime_error.
std::unique_ptr<bootstrap::FolderLock> lock_checkpoints(const base::OptionValues& values);

}  // namespace weft::tools
