#include "runtime/bootstrap/launcher.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/say.hpp"
#include "runtime/bootstrap/acceptor.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/bootstrap/member.hpp"
#include "runtime/bootstrap/notice_server.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/start_watch.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGrace{700};     // between SIGTERM and SIGKILL
constexpr milliseconds kSilence{3000};  // between the end of a connection and the process's own
constexpr milliseconds kOwnSignal{50};  // Ctrl-C reaches processes and launcher at once

class Launcher {
 public:
  Launcher(const LauncherConfig& config, JobRecovery* recovery);
  ~Launcher() { end_all(members_); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  RunEnd run();

 private:
  void start(Member& member);
  void step();
  int poll_timeout() const;
  void open_door();
  void serve(Member& member);
  void handle_all(Member& member);
  void handle(Member& member, Frame frame);
  void reap();
  void note_end(Member& member);
  bool goes_on_without(Member& member, const std::string& what);
  void lose(Member& member);
  void change_to(const ProcessSet& next);
  void check_silence();
  void stop_by(int signal);
  void close_acceptor();
  void end_job(int code);

  const LauncherConfig& config_;
  JobRecovery* const recovery_;  // null: a death ends the job
  StopSignals signals_;
  StartConfig start_;
  std::vector<Member> members_;
  StartWatch start_watch_;
  std::optional<Acceptor> acceptor_;     // until all processes on other hosts have come in
  std::optional<NoticeServer> notices_;  // with --survive api
  std::optional<int> code_;              // of the job, once it is ending early
  RunEnd end_;                           // the death that it may survive
  std::optional<Clock::time_point> kill_at_;
};

Launcher::Launcher(const LauncherConfig& config, JobRecovery* recovery)
    : config_(config),
      recovery_(recovery),
      start_{config.command, config.variables, config.agent, signals_.before()},
      start_watch_(config.timeout, config.agent) {
  members_.resize(config.hosts.size());
  if (config.tells_failures) {
    notices_.emplace(static_cast<std::uint32_t>(members_.size()));
  }
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.process = i;
    member.here = is_this_host(config.hosts[i]);
    member.host = member.here ? base::host_name() : config.hosts[i];
    if (!member.here && !acceptor_) {
      acceptor_.emplace(static_cast<std::uint32_t>(members_.size()));
    }
  }
}

void Launcher::start(Member& member) {
  if (!member.here) {
    const auto started = start_there(start_, member.host, acceptor_->address(member.process));
    member.pid = started.agent;
    member.feeder = started.feeder;
    return;
  }
  LocalProcess started = start_here(start_, {member.process, static_cast<std::uint32_t>(members_.size()),
                                             members_.front().here, notices_.has_value()});
  if (notices_) {
    notices_->add(member.process, std::move(started.notices));
  }
  member.pid = started.pid;
  member.stream = std::move(started.stream);
  member.connected = true;
}

RunEnd Launcher::run() {
  for (Member& member : members_) {
    start(member);
  }
  while (!std::ranges::all_of(members_, &Member::ended)) {
    step();
  }
  end_.code = code_.value_or(largest_exit_code(members_));
  return std::move(end_);
}

// Milliseconds until something is due; -1: nothing is.
int Launcher::poll_timeout() const {
  std::optional<Clock::time_point> due = kill_at_;
  for (const Member& member : members_) {
    if (member.silent_since && !member.ended && !code_) {
      due = std::min(due.value_or(Clock::time_point::max()), *member.silent_since + kSilence);
    }
  }
  if (const auto next = start_watch_.due(); acceptor_ && !code_ && next != Clock::time_point::max()) {
    due = std::min(due.value_or(next), next);
  }
  using std::chrono::ceil;
  return due ? static_cast<int>(std::max<std::int64_t>(ceil<milliseconds>(*due - Clock::now()).count(), 0)) : -1;
}

void Launcher::step() {
  std::vector<pollfd> watched;
  for (const Member& member : members_) {
    const bool writes = member.stream != nullptr && member.stream->has_output();
    watched.push_back({member.stream == nullptr ? -1 : member.stream->fd(),
                       static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const std::size_t members_end = watched.size();
  if (notices_) {
    notices_->watch(watched);
  }
  watched.push_back({signals_.fd(), POLLIN, 0});
  for (const int caller : acceptor_ ? acceptor_->sockets() : std::vector<int>{}) {
    watched.push_back({caller, POLLIN, 0});
  }
  ::poll(watched.data(), watched.size(), poll_timeout());

  // Before reap(): what is read here of SIGCHLD tells of processes that it then finds.
  if (const auto signal = signals_.stop_request()) {
    stop_by(*signal);
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
  if (acceptor_) {
    open_door();
  }
  for (const int signal : signals_.take_user_signals()) {
    pass_on(signal, members_.front());
  }
  check_silence();
  if (acceptor_ && !code_ && !start_watch_.check(members_)) {
    end_job(1);
  }
  if (kill_at_ && Clock::now() >= *kill_at_) {
    signal_all(members_, SIGKILL);
    kill_at_.reset();
  }
}

// Closes the port once everybody is in.
void Launcher::open_door() {
  acceptor_->receive([this](std::uint32_t process, std::unique_ptr<FrameStream>& stream) {
    if (process < members_.size() && !members_[process].here && !members_[process].connected) {
      Member& member = members_[process];
      member.stream = std::move(stream);
      member.connected = true;
      answer(member, {FrameKind::kWelcome});
      if (code_) {
        member.stream->hang_up();
      }
      handle_all(member);  // what came with the first frame
    }
  });
  if (std::ranges::all_of(members_, &Member::connected)) {
    close_acceptor();
  }
}

void Launcher::close_acceptor() {
  if (const std::uint64_t strangers = acceptor_->strangers(); strangers != 0) {
    base::say(fmt::format("weftrun: ended {} connection{} of strangers to the launcher's port\n", strangers,
                          strangers == 1 ? "" : "s"));
  }
  acceptor_.reset();
}

void Launcher::serve(Member& member) {
  const bool open = member.stream->receive();
  handle_all(member);
  if (!open || (member.stream->has_output() && !member.stream->flush())) {
    member.stream.reset();
    member.silent_since = Clock::now();
  }
}

void Launcher::handle_all(Member& member) {
  try {
    while (auto frame = member.stream->next()) {
      handle(member, std::move(*frame));
    }
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: {}: {}\n", name_of(member), error.what()));
    end_job(1);
  }
}

void Launcher::handle(Member& member, Frame frame) {
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
      if (recovery_ != nullptr && frame.number < kImages) {
        recovery_->on_image(frame.number, std::stoull(frame.key), static_cast<off_t>(std::stoll(frame.value)));
      }
      break;
    case FrameKind::kResumed:
      end_.resumed = true;
      break;
    case FrameKind::kResize:
      change_to({.count = frame.number, .workers_each = static_cast<std::uint32_t>(std::stoul(frame.key))});
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

void Launcher::reap() {
  // Again after each end: note_end() may have read what tells of another one.
  while (Member* const member = find_ended(members_)) {
    // Its last words may still be in the socket.
    while (has_more_to_say(*member)) {
      serve(*member);
    }
    note_end(*member);
  }
}

void Launcher::note_end(Member& member) {
  if (code_) {
    return;
  }
  const bool by_signal = WIFSIGNALED(member.status);
  if (by_signal && StopSignals::stops(WTERMSIG(member.status))) {
    pollfd signals{signals_.fd(), POLLIN, 0};
    ::poll(&signals, 1, static_cast<int>(kOwnSignal.count()));
    if (const auto signal = signals_.stop_request()) {
      stop_by(*signal);
      return;
    }
  }
  if (!member.finished || (by_signal && recovery_ != nullptr)) {
    lose(member);
  } else if (by_signal) {
    base::say(fmt::format("weftrun: {} {}, after the job's end\n", name_of(member), end_of(member, config_.agent)));
  }
}

// With --survive api, once all run. The processes are told, unless it was the last one.
bool Launcher::goes_on_without(Member& member, const std::string& what) {
  if (!notices_ || !can_lose_one(members_)) {
    return false;
  }
  base::say(fmt::format("weftrun: {}; the job goes on without it\n", what));
  member.failed = true;
  notices_->note_death(member.process);
  answer_fence(members_);
  return true;
}

void Launcher::lose(Member& member) {
  std::string what = fmt::format("{} {}", name_of(member), end_of(member, config_.agent));
  const int signal = member.ended && WIFSIGNALED(member.status) ? WTERMSIG(member.status) : 0;
  if (member.ended && signal != SIGPIPE && !member.aborting && goes_on_without(member, what)) {
    return;
  }
  // SIGPIPE: nobody reads the output any more.
  if (recovery_ != nullptr && signal != 0 && signal != SIGPIPE) {
    end_.death = {member.process, signal, member.crash, member.signalled};
    end_.what = std::move(what);
    code_ = exit_code_of(member.status);
    signal_all(members_, SIGKILL);  // the others cannot go on without it
    return;
  }
  base::say(fmt::format("weftrun: {}\n", what));
  end_job(member.ended ? std::max(exit_code_of(member.status), 1) : 1);
}

// Where a process has died just now the job goes on from the same image, with as many as before.
void Launcher::change_to(const ProcessSet& next) {
  if (recovery_ != nullptr && !code_) {
    end_.next = next;
    code_ = 0;
    signal_all(members_, SIGKILL);
  }
}

void Launcher::check_silence() {
  for (Member& member : members_) {
    if (!code_ && !member.ended && !member.finished && member.silent_since &&
        Clock::now() >= *member.silent_since + kSilence) {
      lose(member);
    }
  }
}

void Launcher::stop_by(int signal) {
  end_.stopped = true;
  if (code_) {
    signal_all(members_, SIGKILL);
    if (end_.death || end_.next) {
      code_ = 128 + signal;
      end_.death.reset();
      end_.next.reset();
    }
    return;
  }
  end_job(128 + signal);
}

void Launcher::end_job(int code) {
  if (code_) {
    return;
  }
  code_ = code;
  kill_at_ = Clock::now() + kGrace;
  signal_all(members_, SIGTERM);
}

}  // namespace

int launch(const LauncherConfig& config) {
  if (!config.survive_limit) {
    return Launcher(config, nullptr).run().code;
  }
  JobRecovery recovery(static_cast<std::uint32_t>(config.hosts.size()), *config.survive_limit);
  LauncherConfig now = config;
  return recovery.run(
      [&](std::uint32_t count) {
        now.hosts.assign(count, config.hosts.front());
        return Launcher(now, &recovery).run();
      },
      config.before_change);
}

}  // namespace weft::bootstrap
