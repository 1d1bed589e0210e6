#include "runtime/bootstrap/member.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

constexpr int kSignalBase = 128;
constexpr int kMostSignals = 64;

std::string describe_signal(int signal) {
  return fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
}

}  // namespace

Frame value_of(const Member& member, const std::string& key) {
  const auto found = member.values.find(key);
  return found == member.values.end() ? Frame{FrameKind::kNothing} : Frame{FrameKind::kValue, 0, "", found->second};
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status); }

int largest_exit_code(const std::vector<Member>& members) {
  int largest = 0;
  for (const Member& member : members) {
    largest = std::max(largest, exit_code_of(member.status));
  }
  return largest;
}

Member* find_ended(std::vector<Member>& members) {
  for (Member& member : members) {
    if (!member.ended && ::waitpid(member.pid, &member.status, WNOHANG) == member.pid) {
      member.ended = true;
      return &member;
    }
  }
  return nullptr;
}

void signal_all(const std::vector<Member>& members, int signal) {
  for (const Member& member : members) {
    if (member.ended || member.pid <= 0) {
      continue;
    }
    if (!member.here && member.stream != nullptr) {
      member.stream->hang_up();
    }
    const bool spared = signal == SIGTERM && (member.aborting || (!member.here && member.connected));
    if (!spared) {
      ::kill(member.pid, signal);
    }
  }
}

void pass_on(int signal, const Member& first) {
  if (!first.here) {
    base::say(fmt::format("weftrun: signal {} ({}) is not passed on: send it to process 0 on host {}\n", signal,
                          ::strsignal(signal), first.host));
  } else if (!first.ended && first.pid > 0) {
    ::kill(first.pid, signal);
  }
}

void end_all(const std::vector<Member>& members) {
  signal_all(members, SIGKILL);
  for (const Member& member : members) {
    if (!member.ended && member.pid > 0) {
      ::waitpid(member.pid, nullptr, 0);
    }
    if (member.feeder > 0) {
      ::kill(member.feeder, SIGKILL);
      ::waitpid(member.feeder, nullptr, 0);
    }
  }
}

std::string name_of(const Member& member) {
  auto name = fmt::format("process {} on host {}", member.process, member.host);
  if (!member.ranks.empty()) {
    const bool several = member.ranks.find_first_of(",-") != std::string::npos;
    name += fmt::format(" ({} {})", several ? "ranks" : "rank", member.ranks);
  }
  return name;
}

std::string end_of(const Member& member, const std::string& agent) {
  if (!member.ended) {
    return "does not answer any more";
  }
  if (!member.here && !member.connected) {
    return fmt::format("could not be started: '{}' ended with exit code {}", agent, exit_code_of(member.status));
  }
  const int code = exit_code_of(member.status);
  if (WIFSIGNALED(member.status)) {
    return describe_signal(WTERMSIG(member.status));
  }
  // The shell on the other host reports signals so.
  if (!member.here && code > kSignalBase && code <= kSignalBase + kMostSignals) {
    return describe_signal(code - kSignalBase);
  }
  return fmt::format("ended with exit code {} before the job's end", code);
}

}  // namespace weft::bootstrap
