// What the embedded launcher is to run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/job_recovery.hpp"

namespace weft::bootstrap {

struct LauncherConfig {
  // of each process (spread_over_hosts); a process with this host's name is started here
  std::vector<std::string> hosts;
  std::vector<std::string> command;    // what each process executes: a path, then arguments
  std::vector<std::string> variables;  // NAME=VALUE for processes on other hosts; processes here inherit all variables
  std::uint32_t timeout = 0;           // seconds until all processes must have connected; 0: no limit
  std::string agent = "ssh";           // runs a shell command line on another host: agent_command()
  // How often the job may recover from the death of a process by a signal, or from the loss of a host. Nothing: never.
  std::optional<std::uint32_t> survive_limit;
  // With survive_limit: another host that sends nothing for so long counts as lost.
  std::chrono::milliseconds host_timeout{600};
  // For processes on this host only: a process that ends before finish() is a failure that the others are told of
  // (--survive api), and the job continues without it. Not with survive_limit.
  bool reports_failures = false;
  // For a job with survive_limit: called before it continues with other processes or on other hosts. `hosts`: the name
  // of each process's host, as above.
  std::function<void(const ProcessSet&, const std::vector<std::string>& hosts)> before_change;
};

}  // namespace weft::bootstrap
