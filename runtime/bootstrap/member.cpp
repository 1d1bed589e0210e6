#include "runtime/bootstrap/member.hpp"

#include <poll.h>
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

bool can_lose_one(const std::vector<Member>& members) {
  const auto works = [](const Member& one) { return !one.failed && !one.finished; };
  return std::ranges::all_of(members, &Member::running) && std::ranges::count_if(members, works) > 1;
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
