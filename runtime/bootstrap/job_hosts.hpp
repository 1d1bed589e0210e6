// The hosts of a job, from its start to its end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/bootstrap/launcher_config.hpp"
#include "runtime/bootstrap/remote_hosts.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {

// Outlives restarts of the processes. Hosts are numbered; 0 is this one. Functions throw std::runtime_error.
class JobHosts {
 public:
  explicit JobHosts(const LauncherConfig& config);

  const std::string& name(std::uint32_t host) const { return names_.at(host); }
  // The host of each process at the start.
  const std::vector<std::uint32_t>& of_processes() const { return of_processes_; }

  // For a change to processes on hosts of these names: starts proxies on the hosts that are new. Returns the numbers of
  // all of them.
  std::set<std::uint32_t> start_missing(const std::vector<std::string>& wanted);
  // Whether the change can begin. Empty: it can; else kHostsAreNotReady, or which host is not available and why.
  std::string readiness(const std::vector<std::string>& wanted);
  // The number of the job's host of this name, if it has one.
  std::optional<std::uint32_t> find(const std::string& name) const;
  // Releases all hosts but these and the launcher's. Returns those released: they hold no files of images any more.
  std::vector<std::uint32_t> keep(const std::set<std::uint32_t>& hosts);
  // Notes the loss of a host; parameters as for RemoteEvents::host_lost(). Returns how it was lost, in words.
  std::string note_loss(std::uint32_t host, RemoteEvents::Loss loss, int status);

  StopSignals signals;
  const StartConfig start;
  std::optional<RemoteHosts> others;  // null until there is another host
  bool have_started = false;          // all processes have connected once; before, an unreachable host is an error

 private:
  std::uint32_t add(const std::string& name, bool gets_input);

  const std::optional<std::chrono::milliseconds> host_timeout_;
  std::vector<std::string> names_;  // by number; in the form of LauncherConfig::hosts
  std::vector<std::uint32_t> of_processes_;
  std::map<std::string, std::string> losses_;  // by name: how a host was lost, until it is wanted again
};

}  // namespace weft::bootstrap
