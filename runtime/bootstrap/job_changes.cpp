#include "runtime/bootstrap/job_changes.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/bootstrap/address_words.hpp"
#include "runtime/bootstrap/next_process.hpp"

namespace weft::bootstrap {
namespace {

Frame answer_of(std::string text) { return {FrameKind::kValue, 0, "", std::move(text)}; }

std::vector<std::string> hosts_in(std::string_view processes) {
  std::vector<std::string> names;
  for (NextProcess& process : parse_next_processes(processes)) {
    names.push_back(std::move(process.host));
  }
  return names;
}

}  // namespace

void JobChanges::serve(const Member& member, const Frame& frame, const std::vector<Member>& members, bool are_ending) {
  if (const auto reply = handle(frame, hosts_of(members), are_ending)) {
    answer(member, *reply);
  }
}

// `used`: the hosts of the processes that there are. The answer; nothing: none is waited for.
std::optional<Frame> JobChanges::handle(const Frame& frame, const std::set<std::uint32_t>& used, bool are_ending) {
  switch (frame.kind) {
    case FrameKind::kImage:
      if (frame.number < kImages) {
        const std::size_t end = std::min(frame.key.find(' '), frame.key.size());
        recovery_.on_image(frame.number, number_of<std::uint64_t>(frame.key.substr(0, end)),
                           number_of<off_t>(frame.value), frame.key.substr(std::min(end + 1, frame.key.size())));
      }
      break;
    case FrameKind::kMayWrite:
      return answer_of(!are_ending && frame.number < kImages && recovery_.may_write(frame.number) ? "1" : "0");
    case FrameKind::kResumed:
      if (!are_ending) {
        recovery_.on_resumed();
        leave_all_but(used);
      }
      break;
    case FrameKind::kPrepare:
      if (!are_ending) {
        prepare(hosts_in(frame.value), used);
      }
      break;
    case FrameKind::kMayChange:
      return answer_of(are_ending ? kHostsAreNotReady : hosts_.readiness(hosts_in(frame.value)));
    case FrameKind::kLeaving:
      return leaving_hosts();
    default:
      break;
  }
  return std::nullopt;
}

// Hosts that an earlier question wanted, and this one does not, are left; but not those that a change still needs.
void JobChanges::prepare(const std::vector<std::string>& wanted, const std::set<std::uint32_t>& used) {
  std::set<std::uint32_t> hosts = hosts_.reach(wanted);
  if (!recovery_.is_changing()) {
    hosts.insert(used.begin(), used.end());
    leave_all_but(hosts);
  }
}

// Once the ranks go on nothing is needed any more of hosts that the job has been taken from.
void JobChanges::leave_all_but(const std::set<std::uint32_t>& hosts) {
  const std::vector<std::uint32_t> left = hosts_.keep(hosts);
  for (const std::uint32_t host : left) {
    recovery_.images().lose_host(host);
  }
  if (!left.empty()) {
    recovery_.on_start();  // what had its second copy there gets another one
  }
}

Frame JobChanges::leaving_hosts() {
  std::vector<std::string> names;
  for (const std::uint32_t host : hosts_.others ? hosts_.others->leaving() : std::vector<std::uint32_t>{}) {
    names.push_back(hosts_.name(host));
  }
  return answer_of(fmt::format("{}", fmt::join(names, ",")));
}

ProcessSet JobChanges::next_processes(std::string_view text) {
  ProcessSet processes;
  processes.refusal = hosts_.readiness(hosts_in(text));  // since the answer to kMayChange one may have been lost
  if (!processes.refusal.empty()) {
    return processes;
  }
  for (const NextProcess& process : parse_next_processes(text)) {
    processes.hosts.push_back(hosts_.find(process.host).value());
    processes.workers.push_back(process.workers);
    processes.before.push_back(process.before);
  }
  return processes;
}

}  // namespace weft::bootstrap
