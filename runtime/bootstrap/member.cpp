#include "runtime/bootstrap/member.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

namespace weft::bootstrap {
namespace {

constexpr int kSignalBase = 128;
constexpr int kMostSignals = 64;

// A shell reports a signal by its exit code.
int signal_of(int status, bool of_shell) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status);
  }
  const int code = WEXITSTATUS(status);
  return of_shell && code > kSignalBase && code <= kSignalBase + kMostSignals ? code - kSignalBase : 0;
}

std::string end_text(int status, bool of_shell) {
  const int signal = signal_of(status, of_shell);
  return signal != 0 ? fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal))
                     : fmt::format("ended with exit code {}", exit_code_of(status));
}

}  // namespace

Frame value_of(const Member& member, const std::string& key) {
  const auto found = member.values.find(key);
  if (found != member.values.end()) {
    return {FrameKind::kValue, 0, "", found->second};
  }
  return {member.failed ? FrameKind::kValue : FrameKind::kNothing};
}

void answer(const Member& member, const Frame& frame) {
  if (member.stream != nullptr) {
    member.stream->append(frame);
    member.stream->flush();  // what does not fit, and a connection that is gone, poll reports
  }
}

void answer_fence(std::vector<Member>& members) {
  const bool all = std::ranges::all_of(members, [](const Member& member) { return member.fencing || member.failed; });
  const auto finished = std::ranges::find_if(members, &Member::finished);
  if (!all && finished == members.end()) {
    return;
  }
  const Frame reply = all ? Frame{FrameKind::kFenced}
                          : Frame{FrameKind::kAlone, 0, "", fmt::format("{} has finished already", name_of(*finished))};
  for (Member& member : members) {
    if (member.fencing) {
      member.fencing = false;
      answer(member, reply);
    }
  }
}

std::vector<pollfd> connections_of(const std::vector<Member>& members) {
  std::vector<pollfd> connections;
  for (const Member& member : members) {
    const bool writes = member.stream != nullptr && member.stream->has_output();
    connections.push_back({member.stream == nullptr ? -1 : member.stream->fd(),
                           static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  return connections;
}

bool has_more_to_say(const Member& member) {
  pollfd one{member.stream == nullptr ? -1 : member.stream->fd(), POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status); }

int largest_exit_code(const std::vector<Member>& members) {
  int largest = 0;
  for (const Member& member : members) {
    largest = std::max(largest, member.failed ? 0 : exit_code_of(member.status));
  }
  return largest;
}

std::set<std::uint32_t> hosts_of(const std::vector<Member>& members) {
  std::set<std::uint32_t> hosts;
  for (const Member& member : members) {
    hosts.insert(member.host_number);
  }
  return hosts;
}

bool all_connected(const std::vector<Member>& members) { return std::ranges::all_of(members, &Member::connected); }

bool can_lose_one(const std::vector<Member>& members) {
  const auto works = [](const Member& one) { return !one.failed && !one.finished; };
  return std::ranges::all_of(members, &Member::running) && std::ranges::count_if(members, works) > 1;
}

Member* find_ended(std::vector<Member>& members) {
  for (Member& member : members) {
    if (member.ended) {
      continue;
    }
    if (member.here() && member.pid > 0) {
      member.ended = ::waitpid(member.pid, &member.status, WNOHANG) == member.pid;
    } else if (member.reported && (member.stream == nullptr || !member.host_loss.empty())) {
      member.ended = true;
      member.status = *member.reported;
    }
    if (member.ended) {
      return &member;
    }
  }
  return nullptr;
}

int signal_of(const Member& member) { return signal_of(member.status, !member.host_loss.empty()); }

void end_all(const std::vector<Member>& members) {
  const auto lives = [](const Member& member) { return !member.ended && member.pid > 0; };
  for (const Member& member : members) {
    if (lives(member)) {
      ::kill(member.pid, SIGKILL);
    }
  }
  for (const Member& member : members) {
    if (lives(member)) {
      ::waitpid(member.pid, nullptr, 0);
    }
  }
}

std::string end_text(int status) { return end_text(status, true); }

std::string name_of(const Member& member) {
  auto name = fmt::format("process {} on host {}", member.process, member.host);
  if (!member.ranks.empty()) {
    const bool several = member.ranks.find_first_of(",-") != std::string::npos;
    name += fmt::format(" ({} {})", several ? "ranks" : "rank", member.ranks);
  }
  return name;
}

std::string end_of(const Member& member) {
  if (!member.ended) {
    return "does not answer any more";
  }
  if (!member.host_loss.empty()) {
    return fmt::format("{}: {}", member.connected ? "is lost with its host" : "could not be started", member.host_loss);
  }
  const std::string how = end_text(member.status, false);
  return signal_of(member) != 0 ? how : how + " before the job's end";
}

}  // namespace weft::bootstrap
