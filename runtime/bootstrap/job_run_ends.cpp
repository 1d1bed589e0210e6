// What JobRun does when a process ends, a host is lost or the job is to end.
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"
#include "runtime/bootstrap/job_run.hpp"
#include "runtime/bootstrap/stop_signals.hpp"

namespace weft::bootstrap {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{700};     // between SIGTERM and SIGKILL
constexpr milliseconds kOwnSignal{50};  // in which a Ctrl-C that has ended a process reaches the launcher, too

}  // namespace

void JobRun::reap() {
  // Repeats after each end: note_end() may have read the SIGCHLD of another process.
  while (LaunchedProcess* const launched = find_ended(processes_)) {
    // Its last frames may still be in the socket.
    while (has_unread_input(*launched)) {
      serve(*launched);
    }
    note_end(*launched);
  }
}

void JobRun::note_end(LaunchedProcess& launched) {
  if (code_) {
    return;
  }
  const bool by_signal = signal_of(launched) != 0;
  if (StopSignals::stops(signal_of(launched))) {
    pollfd signals{hosts_.signals.fd(), POLLIN, 0};
    ::poll(&signals, 1, static_cast<int>(kOwnSignal.count()));
    if (const auto signal = hosts_.signals.stop_request()) {
      stop_by(*signal);
      return;
    }
  }
  if (!launched.finished || (by_signal && recovery_ != nullptr)) {
    lose(launched);
  } else if (by_signal) {
    base::say(fmt::format("weftrun: {} {}, after the job's end\n", name_of(launched), end_of(launched)));
  }
}

// With --survive api, once all processes run: tells the others, unless this was the last process. Returns whether the
// job continues.
bool JobRun::continue_without(LaunchedProcess& launched, const std::string& what) {
  if (!notices_ || !can_lose_one(processes_)) {
    return false;
  }
  base::say(fmt::format("weftrun: {}; the job goes on without it\n", what));
  launched.failed = true;
  notices_->note_death(launched.process);
  answer_fence(processes_);
  return true;
}

void JobRun::lose(LaunchedProcess& launched) {
  std::string what = fmt::format("{} {}", name_of(launched), end_of(launched));
  const int signal = launched.ended ? signal_of(launched) : 0;
  if (launched.ended && signal != SIGPIPE && !launched.aborting && continue_without(launched, what)) {
    return;
  }
  // SIGPIPE: nobody reads the output any more, so the job does not recover.
  if (recovery_ != nullptr && signal != 0 && signal != SIGPIPE && launched.host_loss.empty()) {
    end_.death = {launched.process, signal, launched.crash, launched.signalled};
    end_.what = std::move(what);
    code_ = exit_code_of(launched.status);
    signal_all(SIGKILL);  // the others cannot go on without it
    return;
  }
  base::say(fmt::format("weftrun: {}\n", what));
  end_job(launched.ended ? std::max(exit_code_of(launched.status), 1) : 1);
}

// If a process has just died, the job continues from the same image with the same number of processes instead.
void JobRun::change_to(std::string_view next) {
  if (changes_ && !code_) {
    end_.next = changes_->next_processes(next);
    code_ = 0;
    signal_all(SIGKILL);
  }
}

void JobRun::check_silence() {
  for (LaunchedProcess& launched : processes_) {
    if (!code_ && !launched.ended && !launched.finished && launched.must_end_by &&
        Clock::now() >= *launched.must_end_by) {
      lose(launched);
    }
  }
}

// If the processes are already being ended, kills them at once, and neither a recovery nor a change follows.
void JobRun::stop_by(int signal) {
  end_.stopped = true;
  if (code_) {
    if (end_.death || end_.next) {
      code_ = 128 + signal;
      end_.death.reset();
      end_.next.reset();
    }
    signal_all(SIGKILL);
    return;
  }
  end_job(128 + signal);
}

void JobRun::end_job(int code) {
  if (code_) {
    return;
  }
  code_ = code;
  kill_at_ = Clock::now() + kGrace;
  signal_all(SIGTERM);
}

void JobRun::signal(const LaunchedProcess& launched, int signal) {
  if (!launched.here()) {
    hosts_.others->signal_process(launched.host_number, launched.process, signal);
  } else if (launched.pid > 0 && !launched.ended) {
    ::kill(launched.pid, signal);
  }
}

// Kills processes that have not ended in time.
void JobRun::end_overdue() {
  if (kill_at_ && Clock::now() >= *kill_at_) {
    kill_at_.reset();
    signal_all(SIGKILL);
  }
  if (drop_at_ && Clock::now() >= *drop_at_) {
    drop_at_.reset();
    for (const LaunchedProcess& launched : processes_) {
      if (!launched.ended && !launched.here()) {
        hosts_.others->kill_agent(launched.host_number);
      }
    }
  }
}

// Sends the signal to all processes that have not ended.
void JobRun::signal_all(int signal) {
  for (const LaunchedProcess& launched : processes_) {
    if (!launched.ended && (signal != SIGTERM || !launched.aborting)) {
      this->signal(launched, signal);
    }
  }
  // Hosts of a job that continues are watched by heartbeats, so their processes may take longer to end.
  if (signal == SIGKILL && hosts_.others && !end_.death && !end_.next) {
    drop_at_ = Clock::now() + kGrace;
  }
}

void JobRun::host_lost(std::uint32_t host, Loss loss, int status) {
  const std::string how = hosts_.note_loss(host, loss, status);
  if (recovery_ != nullptr) {
    recovery_->images().lose_host(host);
    lose_host(host, how);
  }
  for (LaunchedProcess& launched : processes_) {
    if (launched.host_number == host && !launched.ended && !launched.reported) {
      launched.host_loss = how;
      launched.reported = loss == Loss::agent ? status : W_EXITCODE(1, 0);
      launched.stream.reset();
    }
  }
}

// Ends this run because of a lost host, so that the job recovers. Does nothing if the job does not need the host, is
// being stopped, or has not started.
void JobRun::lose_host(std::uint32_t host, const std::string& how) {
  const bool is_used = std::ranges::find(processes_, host, &LaunchedProcess::host_number) != processes_.end();
  if ((!is_used && !recovery_->lacks_files(host)) || end_.stopped || !hosts_.have_started) {
    return;
  }
  end_.lost_hosts.push_back(host);
  if (code_ && !end_.death && !end_.next) {
    return;  // the job is ending
  }
  end_.next.reset();
  end_.death = {0, SIGKILL, "", true};
  end_.what = fmt::format("host {} is lost: {}", hosts_.name(host), how);
  code_ = 128 + SIGKILL;
  signal_all(SIGKILL);  // the others cannot go on without it
}

}  // namespace weft::bootstrap
