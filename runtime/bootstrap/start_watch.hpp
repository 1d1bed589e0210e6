// Limits the time for which the launcher waits for processes of other hosts, and prints warnings meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/launched_process.hpp"

namespace weft::bootstrap {

class StartWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // `timeout`: seconds; 0: no limit. `agent`: starts processes on other hosts.
  StartWatch(std::uint32_t timeout, std::string agent) : timeout_(timeout), agent_(std::move(agent)) {}

  // Starts the time: the processes have been started. Before, check() waits for nothing.
  void begin() { begin_ = Clock::now(); }
  // When check() is due next; Clock::time_point::max(): never.
  Clock::time_point due() const;
  // Call it while processes have not connected. After some seconds it prints their hosts: an agent such as ssh may wait
  // for ever for a host that is down, or for a password. When the time is up it prints that and returns false.
  bool check(const std::vector<LaunchedProcess>& processes);

 private:
  std::optional<Clock::time_point> begin_;
  const std::uint32_t timeout_;
  const std::string agent_;
  bool told_ = false;  // the warning has been printed
};

}  // namespace weft::bootstrap
