#include "runtime/bootstrap/launched_process.hpp"

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

Frame value_of(const LaunchedProcess& launched, const std::string& key) {
  const auto found = launched.values.find(key);
  if (found != launched.values.end()) {
    return {FrameKind::kValue, 0, "", found->second};
  }
  return {launched.failed ? FrameKind::kValue : FrameKind::kNotFound};
}

void answer(const LaunchedProcess& launched, const Frame& frame) {
  if (launched.stream != nullptr) {
    launched.stream->append(frame);
    launched.stream->flush();  // poll() reports when the rest fits, or the connection is gone
  }
}

void answer_fence(std::vector<LaunchedProcess>& processes) {
  const bool all = std::ranges::all_of(
      processes, [](const LaunchedProcess& launched) { return launched.fencing || launched.failed; });
  const auto finished = std::ranges::find_if(processes, &LaunchedProcess::finished);
  if (!all && finished == processes.end()) {
    return;
  }
  const Frame reply =
      all ? Frame{FrameKind::kFenced}
          : Frame{FrameKind::kFailed, 0, "", fmt::format("{} has finished already", name_of(*finished))};
  for (LaunchedProcess& launched : processes) {
    if (launched.fencing) {
      launched.fencing = false;
      answer(launched, reply);
    }
  }
}

std::vector<pollfd> connections_of(const std::vector<LaunchedProcess>& processes) {
  std::vector<pollfd> connections;
  for (const LaunchedProcess& launched : processes) {
    const bool writes = launched.stream != nullptr && launched.stream->has_output();
    connections.push_back({launched.stream == nullptr ? -1 : launched.stream->fd(),
                           static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  return connections;
}

bool has_unread_input(const LaunchedProcess& launched) {
  pollfd one{launched.stream == nullptr ? -1 : launched.stream->fd(), POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status); }

int largest_exit_code(const std::vector<LaunchedProcess>& processes) {
  int largest = 0;
  for (const LaunchedProcess& launched : processes) {
    largest = std::max(largest, launched.failed ? 0 : exit_code_of(launched.status));
  }
  return largest;
}

std::set<std::uint32_t> hosts_of(const std::vector<LaunchedProcess>& processes) {
  std::set<std::uint32_t> hosts;
  for (const LaunchedProcess& launched : processes) {
    hosts.insert(launched.host_number);
  }
  return hosts;
}

bool all_connected(const std::vector<LaunchedProcess>& processes) {
  return std::ranges::all_of(processes, &LaunchedProcess::connected);
}

bool can_lose_one(const std::vector<LaunchedProcess>& processes) {
  const auto works = [](const LaunchedProcess& one) { return !one.failed && !one.finished; };
  return std::ranges::all_of(processes, &LaunchedProcess::running) && std::ranges::count_if(processes, works) > 1;
}

LaunchedProcess* find_ended(std::vector<LaunchedProcess>& processes) {
  for (LaunchedProcess& launched : processes) {
    if (launched.ended) {
      continue;
    }
    if (launched.here() && launched.pid > 0) {
      launched.ended = ::waitpid(launched.pid, &launched.status, WNOHANG) == launched.pid;
    } else if (launched.reported && (launched.stream == nullptr || !launched.host_loss.empty())) {
      launched.ended = true;
      launched.status = *launched.reported;
    }
    if (launched.ended) {
      return &launched;
    }
  }
  return nullptr;
}

int signal_of(const LaunchedProcess& launched) { return signal_of(launched.status, !launched.host_loss.empty()); }

void end_all(const std::vector<LaunchedProcess>& processes) {
  const auto lives = [](const LaunchedProcess& launched) { return !launched.ended && launched.pid > 0; };
  for (const LaunchedProcess& launched : processes) {
    if (lives(launched)) {
      ::kill(launched.pid, SIGKILL);
    }
  }
  for (const LaunchedProcess& launched : processes) {
    if (lives(launched)) {
      ::waitpid(launched.pid, nullptr, 0);
    }
  }
}

std::string end_text(int status) { return end_text(status, true); }

std::string name_of(const LaunchedProcess& launched) {
  auto name = fmt::format("process {} on host {}", launched.process, launched.host);
  if (!launched.ranks.empty()) {
    const bool several = launched.ranks.find_first_of(",-") != std::string::npos;
    name += fmt::format(" ({} {})", several ? "ranks" : "rank", launched.ranks);
  }
  return name;
}

std::string end_of(const LaunchedProcess& launched) {
  if (!launched.ended) {
    return "does not answer any more";
  }
  if (!launched.host_loss.empty()) {
    return fmt::format("{}: {}", launched.connected ? "is lost with its host" : "could not be started",
                       launched.host_loss);
  }
  const std::string how = end_text(launched.status, false);
  return signal_of(launched) != 0 ? how : how + " before the job's end";
}

}  // namespace weft::bootstrap
