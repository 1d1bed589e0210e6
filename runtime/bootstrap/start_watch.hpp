// How long the launcher waits for the processes of other hosts, and what it says meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/bootstrap/member.hpp"

namespace weft::bootstrap {

class StartWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // Begins now. `timeout`: seconds; 0: as long as it takes. `agent` is what starts processes on other hosts.
  StartWatch(std::uint32_t timeout, std::string agent) : timeout_(timeout), agent_(std::move(agent)) {}

  // When check() has something to say next; Clock::time_point::max(): never.
  Clock::time_point due() const;
  // While some have not connected: says after some seconds which hosts these are. An agent such as ssh may wait for
  // ever for a host that is down, or for a password. False once the time is up, which it has said then.
  bool check(const std::vector<Member>& members);

 private:
  const Clock::time_point begin_ = Clock::now();
  const std::uint32_t timeout_;
  const std::string agent_;
  bool told_ = false;
};

}  // namespace weft::bootstrap
