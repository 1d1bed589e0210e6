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

constexpr milliseconds kSilence{3000};  // between the end of a connection and the process's own

// What processes on other hosts are told by the environment, as it is now.
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
  members_.resize(processes.count());
  if (recovery != nullptr) {
    changes_.emplace(hosts, *recovery);
  }
  if (config.tells_failures) {
    notices_.emplace(static_cast<std::uint32_t>(members_.size()));
  }
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.process = i;
    member.host_number = processes.hosts.at(i);
    member.host = member.here() ? base::host_name() : hosts.name(member.host_number);
  }
}

void JobRun::start(Member& member) {
  const auto processes = static_cast<std::uint32_t>(members_.size());
  if (!member.here()) {
    hosts_.others->start_process(member.host_number, {.process = member.process, .processes = processes},
                                 recovery_ == nullptr ? std::vector<std::string>() : own_variables());
    return;
  }
  LocalProcess started =
      start_here(hosts_.start, {member.process, processes, members_.front().here(), notices_.has_value()});
  if (notices_) {
    notices_->add(member.process, std::move(started.notices));
  }
  member.pid = started.pid;
  member.stream = std::move(started.stream);
  member.connected = true;
}

RunEnd JobRun::run() {
  while (recovery_ != nullptr && !code_ && !recovery_->is_ready()) {
    step();
  }
  if (code_) {
    end_.code = *code_;
    return std::move(end_);
  }
  for (Member& member : members_) {
    start(member);
  }
  if (recovery_ != nullptr) {
    recovery_->on_start();
  }
  while (!std::ranges::all_of(members_, &Member::ended)) {
    step();
  }
  end_.code = code_.value_or(largest_exit_code(members_));
  return std::move(end_);
}

// Milliseconds until something is due; -1: nothing is.
int JobRun::poll_timeout() const {
  std::optional<Clock::time_point> due = kill_at_ ? kill_at_ : drop_at_;
  if (const auto sign = hosts_.others ? hosts_.others->due() : std::nullopt) {
    due = std::min(due.value_or(Clock::time_point::max()), *sign);
  }
  for (const Member& member : members_) {
    if (member.must_end_by && !member.ended && !member.finished && !code_) {
      due = std::min(due.value_or(Clock::time_point::max()), *member.must_end_by);
    }
  }
  if (const auto next = start_watch_.due(); !all_connected(members_) && !code_ && next != Clock::time_point::max()) {
    due = std::min(due.value_or(next), next);
  }
  return due ? static_cast<int>(std::max<std::int64_t>(ceil<milliseconds>(*due - Clock::now()).count(), 0)) : -1;
}

void JobRun::step() {
  std::vector<pollfd> watched = connections_of(members_);
  const std::size_t members_end = watched.size();
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

  // Before reap(): what is read here of SIGCHLD tells of processes that it then finds.
  if (const auto signal = hosts_.signals.stop_request()) {
    stop_by(*signal);
  }
  if (hosts_.others) {
    hosts_.others->serve(*this);
  }
  if (recovery_ != nullptr) {
    recovery_->images().serve();
  }
  reap();  // before the others are heard, who may end the job for what they miss in a process that has died
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (watched[i].revents != 0 && members_[i].stream != nullptr) {
      serve(members_[i]);
    }
  }
  if (notices_) {
    notices_->serve(std::span(watched).subspan(members_end));
  }
  reap();  // those on other hosts whose last words have been read
  for (const int signal : hosts_.signals.take_user_signals()) {
    this->signal(members_.front(), signal);
  }
  check_silence();
  check_start();
  end_overdue();
}

// Processes that are started again come in by the port, too.
void JobRun::check_start() {
  if (!all_connected(members_)) {
    if (!code_ && !start_watch_.check(members_)) {
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
  if (process >= members_.size() || members_[process].here() || members_[process].connected) {
    return;
  }
  Member& member = members_[process];
  member.stream = std::move(stream);
  member.connected = true;
  answer(member, {FrameKind::kWelcome});
  handle_all(member);  // what came with the first frame
}

void JobRun::process_ended(std::uint32_t process, int status) { members_.at(process).reported = status; }

void JobRun::files_copied(const CopyOrder& order, bool is_whole) { recovery_->images().note_copied(order, is_whole); }

void JobRun::serve(Member& member) {
  const bool open = member.stream->receive();
  handle_all(member);
  if (!open || (member.stream->has_output() && !member.stream->flush())) {
    member.stream.reset();
    member.must_end_by = Clock::now() + kSilence;
  }
}

void JobRun::handle_all(Member& member) {
  try {
    while (auto frame = member.stream->next()) {
      handle(member, std::move(*frame));
    }
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: {}: {}\n", name_of(member), error.what()));
    end_job(1);
  }
}

void JobRun::handle(Member& member, Frame frame) {
  switch (frame.kind) {
    case FrameKind::kPut:
      member.values[std::move(frame.key)] = std::move(frame.value);
      break;
    case FrameKind::kGet:
      answer(member, value_of(members_.at(frame.number), frame.key));
      break;
    case FrameKind::kGetAll:
      for (const Member& of : members_) {
        member.stream->append(value_of(of, frame.key));
      }
      member.stream->flush();
      break;
    case FrameKind::kFence:
      member.fencing = true;
      answer_fence(members_);
      break;
    case FrameKind::kRanks:
      member.ranks = std::move(frame.value);
      member.running = true;
      break;
    case FrameKind::kFinish:
      member.finished = true;
      answer_fence(members_);
      break;
    case FrameKind::kAbort:
      member.aborting = true;
      end_job(static_cast<int>(frame.number));
      break;
    case FrameKind::kImage:
    case FrameKind::kMayWrite:
    case FrameKind::kResumed:
    case FrameKind::kPrepare:
    case FrameKind::kMayChange:
    case FrameKind::kLeaving:
      if (changes_) {
        changes_->serve(member, frame, members_, code_.has_value());
      }
      break;
    case FrameKind::kChange:
      change_to(frame.value);
      break;
    case FrameKind::kCrash:
      member.crash = std::move(frame.value);
      member.signalled = frame.number != 0;
      break;
    default:
      throw std::runtime_error(fmt::format(
          "sent a message of kind {}, which weftrun expects from no process: use one version of Weft on all hosts",
          static_cast<unsigned>(frame.kind)));
  }
}

}  // namespace weft::bootstrap
