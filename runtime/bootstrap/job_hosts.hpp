// The hosts of a job, from its start to its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/launcher.hpp"
#include "runtime/bootstrap/remote_hosts.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {

// Stays while processes are started again. Hosts are numbered; 0 is this one. Throws std::runtime_error.
struct JobHosts {
  explicit JobHosts(const LauncherConfig& config);

  std::vector<std::string> names;           // as LauncherConfig::hosts has them, by number
  std::vector<std::uint32_t> of_processes;  // of each process at the start
  StopSignals signals;
  StartConfig start;
  std::optional<RemoteHosts> others;
  bool have_started =
      false;  // all processes have been there once: a host that is not to be had at the start is an error
};

}  // namespace weft::bootstrap
