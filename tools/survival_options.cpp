#include "tools/survival_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/duration.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::tools {

using base::OptionError;
using base::OptionValues;

bool may_survive(const OptionValues& values) {
  return values.origin("survive") == base::OptionOrigin::kArgument || !values.text("survive").empty();
}

void check_survival(const OptionValues& values) {
  if (!may_survive(values)) {
    if (values.given("survive-limit")) {
      throw OptionError("--survive-limit needs --survive INTERVAL");
    }
    return;
  }
  if (!base::parse_duration(values.text("survive"))) {
    throw OptionError("--survive: expected the time between two images such as 30s, 500ms or 2m, not '" +
                      values.text("survive") + "'");
  }
  for (const char* const option : {"tune", "trace", "otf2", "record"}) {
    if (values.given(option)) {
      throw OptionError("--survive does not go with --" + std::string(option) +
                        ", which would have only what ran since the last death");
    }
  }
  for (const std::string& host : bootstrap::spread_over_hosts(values.list("hosts"), 0)) {
    if (!bootstrap::is_this_host(host)) {
      throw OptionError("--survive works on one host: not with --hosts " + host);
    }
  }
}

void set_survival(launch::LaunchConfig& config, const OptionValues& values, const std::string& images,
                  bootstrap::Bootstrap& launcher) {
  const auto address = bootstrap::parse_images_address(images);
  config.job.survive = base::parse_duration(values.text("survive"));
  config.job.image_files = address.paths;
  config.job.image_is_whole = [&launcher](std::uint32_t image, std::uint64_t step) {
    launcher.image_is_whole(image, step);
  };
  config.job.resize_request = std::make_shared<runtime::ResizeRequest>();
  if (!address.refusal.empty()) {
    config.job.resize_request->refuse(address.refusal);
  }
  config.job.ranks_resumed = [&launcher] { launcher.ranks_resumed(); };
  config.job.change_processes = [&launcher](std::uint32_t processes, std::uint32_t workers_each) {
    launcher.change_processes(processes, workers_each);
    for (;;) {
      ::pause();
    }
  };
  config.launcher = &launcher;
  config.seconds_so_far = address.seconds;
  if (address.whole) {
    config.job.restart = address.paths[*address.whole];
    config.job.first_image = 1 - *address.whole;
  }
  if (config.timeout != 0) {
    config.timeout = std::max(config.timeout, address.seconds + 1) - address.seconds;
  }
}

}  // namespace weft::tools
