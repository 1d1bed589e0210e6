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
  std::vector<std::string> hosts;      // of each process (spread_over_hosts); this host's name starts one here
  std::vector<std::string> command;    // what each process executes: a path, then arguments
  std::vector<std::string> variables;  // NAME=VALUE that processes on other hosts need; those here inherit all
  std::uint32_t timeout = 0;           // seconds until all processes have to be there; 0: as long as it takes
  std::string agent = "ssh";           // starts a line of shell on another host: agent_command()
  // How often the job may go on after a process has died by a signal, or a host is lost. Nothing: never.
  std::optional<std::uint32_t> survive_limit;
  std::chrono::milliseconds silence{600};  // with survive_limit: another host that says nothing for so long is lost
  // Where all are here: a process that ends before finish() is a failure that the others are told of (--survive api),
  // and the job goes on without it. Not with survive_limit.
  bool tells_failures = false;
  // Of a job with survive_limit: is told before it goes on with other processes, or elsewhere; `hosts`: the name of
  // each one's, as above.
  std::function<void(const ProcessSet&, const std::vector<std::string>& hosts)> before_change;
};

}  // namespace weft::bootstrap
