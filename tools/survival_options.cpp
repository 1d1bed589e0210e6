#include "tools/survival_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/duration.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::tools {

using base::OptionError;
using base::OptionValues;

bool may_survive(const OptionValues& values) {
  return values.origin("survive") == base::OptionOrigin::kArgument || !values.text("survive").empty();
}

bool survives_by_api(const OptionValues& values) { return values.text("survive") == "api"; }

namespace {

void require_this_host(const OptionValues& values) {
  for (const std::string& host : bootstrap::spread_over_hosts(values.list("hosts"), 0)) {
    if (!bootstrap::is_this_host(host)) {
      throw OptionError("--survive api works on one host: not with --hosts " + host);
    }
  }
}

// Refuses options whose work all processes do together: they would wait for processes that have died.
void check_api(const OptionValues& values) {
  for (const char* const option :
       {"survive-limit", "survive-silence", "survive-incremental", "tune", "trace", "otf2", "record", "migrate-at",
        "checkpoint", "restart", "lb-continuous", "stall", "check"}) {
    if (values.given(option)) {
      throw OptionError("--survive api does not go with --" + std::string(option));
    }
  }
  if (values.text("lb") != "none") {
    throw OptionError("--survive api does not go with --lb: all processes take part in a balancing step");
  }
  if (values.text("net") != "auto") {
    throw OptionError("--survive api works within one host's memory: not with --net " + values.text("net"));
  }
}

}  // namespace

std::chrono::milliseconds survival_silence(const OptionValues& values) {
  constexpr double kLeast = 0.1;
  const auto seconds = base::parse_duration(values.text("survive-silence"));
  if (!seconds || *seconds < kLeast) {
    throw OptionError("--survive-silence: expected a time of at least 100ms, such as 600ms or 2s, not '" +
                      values.text("survive-silence") + "'");
  }
  return std::chrono::milliseconds(std::llround(*seconds * 1000));
}

void check_survival(const OptionValues& values) {
  if (!may_survive(values)) {
    for (const char* const option : {"survive-limit", "survive-silence", "survive-incremental"}) {
      if (values.given(option)) {
        throw OptionError("--" + std::string(option) + " needs --survive INTERVAL");
      }
    }
    return;
  }
  if (survives_by_api(values)) {
    require_this_host(values);
    check_api(values);
    return;
  }
  if (!base::parse_duration(values.text("survive"))) {
    throw OptionError("--survive: expected the time between two images such as 30s, 500ms or 2m, or 'api', not '" +
                      values.text("survive") + "'");
  }
  survival_silence(values);
  for (const char* const option : {"tune", "trace", "otf2", "record"}) {
    if (values.given(option)) {
      throw OptionError("--survive does not go with --" + std::string(option) +
                        ", which would have only what ran since the last death");
    }
  }
}

void set_survival(launch::LaunchConfig& config, const OptionValues& values, const std::string& images,
                  bootstrap::Bootstrap& launcher) {
  config.launcher = &launcher;
  if (survives_by_api(values)) {
    config.job.notices = launcher.notices();
    config.job.act_as_processes = true;  // collectives in one process's memory alone cannot be ended by a failure
    return;
  }
  const auto address = bootstrap::parse_images_address(images);
  config.job.survive = base::parse_duration(values.text("survive"));
  config.job.incremental = values.flag("survive-incremental");
  config.job.image_files = address.paths;
  config.job.may_write_image = [&launcher](std::uint32_t image) { return launcher.may_write_image(image); };
  config.job.image_is_whole = [&launcher](std::uint32_t image, std::uint64_t step, const std::string& folder) {
    launcher.image_is_whole(image, step, folder);
  };
  config.job.resize_request = std::make_shared<runtime::ResizeRequest>();
  if (!address.refusal.empty()) {
    config.job.resize_request->refuse({}, address.refusal);
  }
  config.job.ranks_resumed = [&launcher] { launcher.ranks_resumed(); };
  config.job.prepare_change = [&launcher](const auto& processes) { launcher.prepare_change(processes); };
  config.job.may_change = [&launcher](const auto& processes) { return launcher.may_change(processes); };
  config.job.hosts_to_evacuate = [&launcher] { return launcher.hosts_to_evacuate(); };
  config.job.change_processes = [&launcher](const auto& processes) {
    launcher.change_processes(processes);
    for (;;) {
      ::pause();
    }
  };
  config.seconds_so_far = address.seconds;
  config.job.unsaved_seconds = address.unsaved_seconds;
  if (address.on_disk) {
    config.job.restart = bootstrap::CheckpointFolder(config.job.checkpoint).of(*address.on_disk);
  }
  if (address.whole) {
    config.job.restart = address.paths[*address.whole];
    config.job.first_image = 1 - *address.whole;
    config.job.file_readers = address.readers;
  }
  if (config.timeout != 0) {
    config.timeout = std::max(config.timeout, address.seconds + 1) - address.seconds;
  }
}

std::unique_ptr<bootstrap::FolderLock> lock_checkpoints(const OptionValues& values) {
  const std::string& folder = values.text("checkpoint");
  if (folder.empty()) {
    return nullptr;
  }
  const std::filesystem::path path = std::filesystem::path(values.text("wdir")) / folder;
  auto lock = std::make_unique<bootstrap::FolderLock>(path.string(), bootstrap::FolderLock::For::kWriting);
  bootstrap::CheckpointFolder(path.string()).remove_unfinished();
  return lock;
}

}  // namespace weft::tools
