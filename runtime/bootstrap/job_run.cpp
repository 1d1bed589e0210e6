#include "runtime/bootstrap/job_run.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/say.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {
namespace {

using std::chrono::ceil;
using std::chrono::milliseconds;

constexpr milliseconds kSilence{3000};  // from the end of a process's connection to its exit

// The variables that processes on other hosts get, with their present values.
std::vector<std::string> own_variables() {
  std::vector<std::string> variables;
  for (char** setting = environ; *setting != nullptr; ++setting) {
    if (const std::string_view text = *setting; text.starts_with("WEFT_")) {
      variables.emplace_back(text);
    }
  }
  return variables;
}

}  // namespace

JobRun::JobRun(const LauncherConfig& config, JobHosts& hosts, const ProcessSet& processes, JobRecovery* recovery)
    : config_(config), hosts_(hosts), recovery_(recovery), start_watch_(config.timeout, config.agent) {
  processes_.resize(processes.count());
  if (recovery != nullptr) {
    changes_.emplace(hosts, *recovery);
  }
  if (config.reports_failures) {
    notices_.emplace(static_cast<std::uint32_t>(processes_.size()));
  }
  for (std::uint32_t i = 0; i < processes_.size(); ++i) {
    LaunchedProcess& launched = processes_[i];
    launched.process = i;
    launched.host_number = processes.hosts.at(i);
    launched.host = launched.here() ? base::host_name() : hosts.name(launched.host_number);
  }
}

void JobRun::start(LaunchedProcess& launched) {
  const auto processes = static_cast<std::uint32_t>(processes_.size());
  if (!launched.here()) {
    hosts_.others->start_process(launched.host_number, {.process = launched.process, .processes = processes},
                                 recovery_ == nullptr ? std::vector<std::string>() : own_variables());
    return;
  }
  LocalProcess started =
      start_here(hosts_.start, {launched.process, processes, processes_.front().here(), notices_.has_value()});
  if (notices_) {
    notices_->add(launched.process, std::move(started.notices));
  }
  launched.pid = started.pid;
  launched.stream = std::move(started.stream);
  launched.connected = true;
}

RunEnd JobRun::run() {
  while (recovery_ != nullptr && !code_ && !recovery_->is_ready()) {
    step();
  }
  if (code_) {
    end_.code = *code_;
    return std::move(end_);
  }
  std::ranges::for_each(processes_, [this](LaunchedProcess& launched) { start(launched); });
  start_watch_.begin();
  if (recovery_ != nullptr) {
    recovery_->on_start();
  }
  while (!std::ranges::all_of(processes_, &LaunchedProcess::ended)) {
    step();
  }
  end_.code = code_.value_or(largest_exit_code(processes_));
  return std::move(end_);
}

// Milliseconds until something is due; -1: nothing is.
int JobRun::poll_timeout() const {
  std::optional<Clock::time_point> due = kill_at_ ? kill_at_ : drop_at_;
  if (const auto sign = hosts_.others ? hosts_.others->due() : std::nullopt) {
    due = std::min(due.value_or(Clock::time_point::max()), *sign);
  }
  for (const LaunchedProcess& launched : processes_) {
    if (launched.must_end_by && !launched.ended && !launched.finished && !code_) {
      due = std::min(due.value_or(Clock::time_point::max()), *launched.must_end_by);
    }
  }
  if (const auto next = start_watch_.due(); !all_connected(processes_) && !code_ && next != Clock::time_point::max()) {
    due = std::min(due.value_or(next), next);
  }
  return due ? static_cast<int>(std::max<std::int64_t>(ceil<milliseconds>(*due - Clock::now()).count(), 0)) : -1;
}

void JobRun::step() {
  std::vector<pollfd> watched = connections_of(processes_);
  const std::size_t processes_end = watched.size();
  if (notices_) {
    notices_->watch(watched);
  }
  watched.push_back({hosts_.signals.fd(), POLLIN, 0});
  if (hosts_.others) {
    hosts_.others->watch(watched);
  }
  if (recovery_ != nullptr) {
    recovery_->images().watch(watched);
  }
  ::poll(watched.data(), watched.size(), poll_timeout());

  // Before reap(): a SIGCHLD that is read here belongs to a process that reap() then finds.
  if (const auto signal = hosts_.signals.stop_request()) {
    stop_by(*signal);
  }
  if (hosts_.others) {
    hosts_.others->serve(*this);
  }
  if (recovery_ != nullptr) {
    recovery_->images().serve();
  }
  reap();  // before other processes are served: they may end the job because of the dead process
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (watched[i].revents != 0 && processes_[i].stream != nullptr) {
      serve(processes_[i]);
    }
  }
  if (notices_) {
    notices_->serve(std::span(watched).subspan(processes_end));
  }
  reap();  // processes on other hosts whose last frames have been read
  // A signal that comes before process 0 has started, or when it has died and will be started again, waits.
  if (const LaunchedProcess& first = processes_.front(); first.connected && !first.ended) {
    std::ranges::for_each(hosts_.signals.take_user_signals(), [&](int number) { signal(first, number); });
  }
  check_silence();
  check_start();
  end_overdue();
}

// Processes that are started again connect to the port too, so it stays open then.
void JobRun::check_start() {
  if (!all_connected(processes_)) {
    if (!code_ && !start_watch_.check(processes_)) {
      end_job(1);
    }
    return;
  }
  hosts_.have_started = true;
  if (hosts_.others && recovery_ == nullptr) {
    hosts_.others->close_port();
  }
}

void JobRun::process_connected(std::uint32_t process, std::unique_ptr<FrameStream>& stream) {
  if (process >= processes_.size() || processes_[process].here() || processes_[process].connected) {
    return;
  }
  LaunchedProcess& launched = processes_[process];
  launched.stream = std::move(stream);
  launched.connected = true;
  answer(launched, {FrameKind::kAccepted});
  handle_all(launched);  // what came with the first frame
}

void JobRun::process_ended(std::uint32_t process, int status) { processes_.at(process).reported = status; }

void JobRun::files_copied(const CopyOrder& order, bool is_whole) { recovery_->images().note_copied(order, is_whole); }

void JobRun::serve(LaunchedProcess& launched) {
  const bool open = launched.stream->receive();
  handle_all(launched);
  if (!open || (launched.stream->has_output() && !launched.stream->flush())) {
    launched.stream.reset();
    launched.must_end_by = Clock::now() + kSilence;
  }
}

void JobRun::handle_all(LaunchedProcess& launched) {
  try {
    while (auto frame = launched.stream->next()) {
      handle(launched, std::move(*frame));
    }
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: {}: {}\n", name_of(launched), error.what()));
    end_job(1);
  }
}

void JobRun::handle(LaunchedProcess& launched, Frame frame) {
  switch (frame.kind) {
    case FrameKind::kPut:
      launched.values[std::move(frame.key)] = std::move(frame.value);
      break;
    case FrameKind::kGet:
      answer(launched, value_of(processes_.at(frame.number), frame.key));
      break;
    case FrameKind::kGetAll:
      for (const LaunchedProcess& of : processes_) {
        launched.stream->append(value_of(of, frame.key));
      }
      launched.stream->flush();
      break;
    case FrameKind::kFence:
      launched.fencing = true;
      answer_fence(processes_);
      break;
    case FrameKind::kRanks:
      launched.ranks = std::move(frame.value);
      launched.running = true;
      break;
    case FrameKind::kFinish:
      launched.finished = true;
      answer_fence(processes_);
      break;
    case FrameKind::kAbort:
      launched.aborting = true;
      end_job(static_cast<int>(frame.number));
      break;
    case FrameKind::kImage:
    case FrameKind::kMayWrite:
    case FrameKind::kResumed:
    case FrameKind::kPrepare:
    case FrameKind::kMayChange:
    case FrameKind::kHostsToEvacuate:
      if (changes_) {
        changes_->serve(launched, frame, processes_, code_.has_value());
      }
      break;
    case FrameKind::kChange:
      change_to(frame.value);
      break;
    case FrameKind::kCrash:
      launched.crash = std::move(frame.value);
      launched.signalled = frame.number != 0;
      break;
    default:
      throw std::runtime_error(fmt::format(
          "sent a message of kind {}, which weftrun expects from no process: use one version of Weft on all hosts",
          static_cast<unsigned>(frame.kind)));
  }
}

}  // namespace weft::bootstrap
