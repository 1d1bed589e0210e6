#include "runtime/bootstrap/job_hosts.hpp"

#include <exception>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/launched_process.hpp"
#include "runtime/bootstrap/next_process.hpp"

namespace weft::bootstrap {

JobHosts::JobHosts(const LauncherConfig& config)
    : start{config.command, config.variables, config.agent, signals.before()},
      host_timeout_(config.survive_limit ? std::optional(config.host_timeout) : std::nullopt),
      names_{base::host_name()} {
  for (const std::string& host : config.hosts) {
    if (is_this_host(host)) {
      names_.front() = host;
    }
  }
  for (const std::string& host : config.hosts) {
    const auto known = find(host);
    of_processes_.push_back(known ? *known : add(host, of_processes_.empty()));
  }
}

std::string JobHosts::note_loss(std::uint32_t host, RemoteEvents::Loss loss, int status) {
  std::string& how = losses_[name(host)];
  switch (loss) {
    case RemoteEvents::Loss::agent:
      how = fmt::format("'{}' {}", start.agent, end_text(status));
      break;
    case RemoteEvents::Loss::connection:
      how = "its connection has ended";
      break;
    case RemoteEvents::Loss::silence:
      how = fmt::format("it has said nothing for {} ms", host_timeout_.value_or(std::chrono::milliseconds(0)).count());
      break;
  }
  return how;
}

// The last host of that name: one that was lost may have been added again.
std::optional<std::uint32_t> JobHosts::find(const std::string& name) const {
  if (is_this_host(name)) {
    return 0;
  }
  for (auto host = static_cast<std::uint32_t>(names_.size()); --host > 0;) {
    if (names_[host] == name && others->is_in_use(host)) {
      return host;
    }
  }
  return std::nullopt;
}

std::uint32_t JobHosts::add(const std::string& name, bool gets_input) {
  if (!others) {
    others.emplace(start, host_timeout_);
  }
  others->add(name, gets_input);
  names_.push_back(name);
  return static_cast<std::uint32_t>(names_.size()) - 1;
}

std::set<std::uint32_t> JobHosts::start_missing(const std::vector<std::string>& wanted) {
  std::set<std::uint32_t> hosts;
  for (const std::string& name : wanted) {
    losses_.erase(name);
    try {
      const auto known = find(name);
      hosts.insert(known ? *known : add(name, false));
    } catch (const std::exception& error) {
      losses_[name] = error.what();
    }
  }
  return hosts;
}

std::string JobHosts::readiness(const std::vector<std::string>& wanted) {
  bool are_ready = true;
  for (const std::string& name : wanted) {
    const auto host = find(name);
    if (!host) {
      const auto loss = losses_.find(name);
      return fmt::format("host {}: {}", name, loss == losses_.end() ? "it is not one of the job" : loss->second);
    }
    are_ready = are_ready && (*host == 0 || others->files_port(*host));
  }
  return are_ready ? "" : kHostsAreNotReady;
}

std::vector<std::uint32_t> JobHosts::keep(const std::set<std::uint32_t>& hosts) {
  std::vector<std::uint32_t> left;
  for (std::uint32_t host = 1; host < names_.size(); ++host) {
    if (!hosts.contains(host) && others->is_in_use(host)) {
      others->dismiss(host);
      left.push_back(host);
    }
  }
  return left;
}

}  // namespace weft::bootstrap
