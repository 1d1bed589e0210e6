#include "runtime/bootstrap/start_watch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::chrono::seconds kUsualTime{5};

std::string missing_hosts(const std::vector<Member>& members) {
  std::vector<std::string> hosts;
  for (const Member& member : members) {
    if (!member.connected && std::ranges::find(hosts, member.host) == hosts.end()) {
      hosts.push_back(member.host);
    }
  }
  return fmt::format("{} {}", hosts.size() == 1 ? "host" : "hosts", fmt::join(hosts, ", "));
}

}  // namespace

StartWatch::Clock::time_point StartWatch::due() const {
  const auto never = Clock::time_point::max();
  return std::min(told_ ? never : begin_ + kUsualTime, timeout_ == 0 ? never : begin_ + std::chrono::seconds(timeout_));
}

bool StartWatch::check(const std::vector<Member>& members) {
  const auto waited = Clock::now() - begin_;
  if (timeout_ != 0 && waited >= std::chrono::seconds(timeout_)) {
    base::say(
        fmt::format("weftrun: the job has not started after {} seconds, its limit (--timeout, MPIEXEC_TIMEOUT): "
                    "'{}' has started nothing on {}\n",
                    timeout_, agent_, missing_hosts(members)));
    return false;
  }
  if (!told_ && waited >= kUsualTime) {
    told_ = true;
    base::say(
        fmt::format("weftrun: waiting for {}: '{}' has started nothing there yet\n", missing_hosts(members), agent_));
  }
  return true;
}

}  // namespace weft::bootstrap
