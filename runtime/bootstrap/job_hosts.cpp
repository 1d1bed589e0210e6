#include "runtime/bootstrap/job_hosts.hpp"

#include <algorithm>

#include "runtime/bootstrap/hosts.hpp"

namespace weft::bootstrap {

JobHosts::JobHosts(const LauncherConfig& config)
    : names(1), start{config.command, config.variables, config.agent, signals.before()} {
  for (const std::string& host : config.hosts) {
    if (is_this_host(host)) {
      names.front() = host;
      of_processes.push_back(0);
      continue;
    }
    const auto found = std::find(names.begin() + 1, names.end(), host);
    of_processes.push_back(static_cast<std::uint32_t>(found - names.begin()));
    if (found == names.end()) {
      names.push_back(host);
    }
  }
  if (names.size() > 1) {
    others.emplace(start, std::vector(names.begin() + 1, names.end()), of_processes.front(),
                   config.survive_limit ? std::optional(config.silence) : std::nullopt);
  }
}

}  // namespace weft::bootstrap
