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

// Stays while processes are started again. Hosts are numbered; 0 is this one. Throws std::runtime_error.
class JobHosts {
 public:
  explicit JobHosts(const LauncherConfig& config);

  const std::string& name(std::uint32_t host) const { return names_.at(host); }
  // Of each process at the start.
  const std::vector<std::uint32_t>& of_processes() const { return of_processes_; }

  // For a change to processes on hosts of these names: begins to reach those that are new. Their numbers.
  std::set<std::uint32_t> reach(const std::vector<std::string>& wanted);
  // Whether it can begin: empty: it can; kHostsAreNotReady; or which host cannot be had, and why.
  std::string readiness(const std::vector<std::string>& wanted);
  // Of the host of this name that the job has.
  std::optional<std::uint32_t> find(const std::string& name) const;
  // Leaves all hosts but these; which ones those were: of images there is nothing there any more.
  std::vector<std::uint32_t> keep(const std::set<std::uint32_t>& hosts);
  // As RemoteEvents::host_lost(). How, in words.
  std::string note_loss(std::uint32_t host, RemoteEvents::Loss loss, int status);

  StopSignals signals;
  const StartConfig start;
  std::optional<RemoteHosts> others;  // null until there is one
  bool have_started =
      false;  // all processes have been there once: a host that is not to be had at the start is an error

 private:
  std::uint32_t add(const std::string& name, bool gets_input);

  const std::optional<std::chrono::milliseconds> silence_;
  std::vector<std::string> names_;  // as LauncherConfig::hosts has them, by number
  std::vector<std::uint32_t> of_processes_;
  std::map<std::string, std::string> losses_;  // of hosts by name: how they were lost, until they are wanted again
};

}  // namespace weft::bootstrap
