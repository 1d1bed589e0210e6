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

void JobChanges::serve(const LaunchedProcess& launched, const Frame& frame,
                       const std::vector<LaunchedProcess>& processes, bool are_ending) {
  if (const auto reply = handle(frame, hosts_of(processes), are_ending)) {
    answer(launched, *reply);
  }
}

// `used`: the hosts of the present processes. Returns the answer, or nothing if none is expected.
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
        release_hosts_except(used);
      }
      break;
    case FrameKind::kPrepare:
      if (!are_ending) {
        prepare(hosts_in(frame.value), used);
      }
      break;
    case FrameKind::kMayChange:
      return answer_of(are_ending ? kHostsAreNotReady : hosts_.readiness(hosts_in(frame.value)));
    case FrameKind::kHostsToEvacuate:
      return hosts_to_evacuate();
    default:
      break;
  }
  return std::nullopt;
}

// Releases hosts that an earlier request wanted and this one does not, except those that a change still needs.
void JobChanges::prepare(const std::vector<std::string>& wanted, const std::set<std::uint32_t>& used) {
  std::set<std::uint32_t> hosts = hosts_.start_missing(wanted);
  if (!recovery_.is_changing()) {
    hosts.insert(used.begin(), used.end());
    release_hosts_except(hosts);
  }
}

// Once the ranks have gone on, hosts that the job has left are not needed any more.
void JobChanges::release_hosts_except(const std::set<std::uint32_t>& hosts) {
  const std::vector<std::uint32_t> left = hosts_.keep(hosts);
  for (const std::uint32_t host : left) {
    recovery_.images().lose_host(host);
  }
  if (!left.empty()) {
    recovery_.on_start();  // replaces copies that were on these hosts
  }
}

Frame JobChanges::hosts_to_evacuate() {
  std::vector<std::string> names;
  for (const std::uint32_t host : hosts_.others ? hosts_.others->to_evacuate() : std::vector<std::uint32_t>{}) {
    names.push_back(hosts_.name(host));
  }
  return answer_of(fmt::format("{}", fmt::join(names, ",")));
}

ProcessSet JobChanges::next_processes(std::string_view text) {
  ProcessSet processes;
  processes.refusal = hosts_.readiness(hosts_in(text));  // a host may have been lost since the answer to kMayChange
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
