#include "runtime/bootstrap/start_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::chrono::seconds kUsualTime{5};

std::string missing_hosts(const std::vector<LaunchedProcess>& processes) {
  std::vector<std::string> hosts;
  for (const LaunchedProcess& launched : processes) {
    if (!launched.connected && std::ranges::find(hosts, launched.host) == hosts.end()) {
      hosts.push_back(launched.host);
    }
  }
  return fmt::format("{} {}", hosts.size() == 1 ? "host" : "hosts", fmt::join(hosts, ", "));
}

}  // namespace

StartWatch::Clock::time_point StartWatch::due() const {
  const auto never = Clock::time_point::max();
  if (!begin_) {
    return never;
  }
  return std::min(told_ ? never : *begin_ + kUsualTime,
                  timeout_ == 0 ? never : *begin_ + std::chrono::seconds(timeout_));
}

bool StartWatch::check(const std::vector<LaunchedProcess>& processes) {
  if (!begin_) {
    return true;
  }
  const auto waited = Clock::now() - *begin_;
  if (timeout_ != 0 && waited >= std::chrono::seconds(timeout_)) {
    base::say(
        fmt::format("weftrun: the job has not started after {} seconds, its limit (--timeout, MPIEXEC_TIMEOUT): "
                    "'{}' has started nothing on {}\n",
                    timeout_, agent_, missing_hosts(processes)));
    return false;
  }
  if (!told_ && waited >= kUsualTime) {
    told_ = true;
    base::say(
        fmt::format("weftrun: waiting for {}: '{}' has started nothing there yet\n", missing_hosts(processes), agent_));
  }
  return true;
}

}  // namespace weft::bootstrap
