// What follows where a process of a job ends, a host is lost or somebody wants the job to end.
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
constexpr milliseconds kOwnSignal{50};  // Ctrl-C reaches processes and launcher at once

}  // namespace

void JobRun::reap() {
  // Again after each end: note_end() may have read what tells of another one.
  while (Member* const member = find_ended(members_)) {
    // Its last words may still be in the socket.
    while (has_more_to_say(*member)) {
      serve(*member);
    }
    note_end(*member);
  }
}

void JobRun::note_end(Member& member) {
  if (code_) {
    return;
  }
  const bool by_signal = signal_of(member) != 0;
  if (StopSignals::stops(signal_of(member))) {
    pollfd signals{hosts_.signals.fd(), POLLIN, 0};
    ::poll(&signals, 1, static_cast<int>(kOwnSignal.count()));
    if (const auto signal = hosts_.signals.stop_request()) {
      stop_by(*signal);
      return;
    }
  }
  if (!member.finished || (by_signal && recovery_ != nullptr)) {
    lose(member);
  } else if (by_signal) {
    base::say(fmt::format("weftrun: {} {}, after the job's end\n", name_of(member), end_of(member)));
  }
}

// With --survive api, once all run. The processes are told, unless it was the last one.
bool JobRun::goes_on_without(Member& member, const std::string& what) {
  if (!notices_ || !can_lose_one(members_)) {
    return false;
  }
  base::say(fmt::format("weftrun: {}; the job goes on without it\n", what));
  member.failed = true;
  notices_->note_death(member.process);
  answer_fence(members_);
  return true;
}

void JobRun::lose(Member& member) {
  std::string what = fmt::format("{} {}", name_of(member), end_of(member));
  const int signal = member.ended ? signal_of(member) : 0;
  if (member.ended && signal != SIGPIPE && !member.aborting && goes_on_without(member, what)) {
    return;
  }
  // SIGPIPE: nobody reads the output any more.
  if (recovery_ != nullptr && signal != 0 && signal != SIGPIPE && member.host_loss.empty()) {
    end_.death = {member.process, signal, member.crash, member.signalled};
    end_.what = std::move(what);
    code_ = exit_code_of(member.status);
    signal_all(SIGKILL);  // the others cannot go on without it
    return;
  }
  base::say(fmt::format("weftrun: {}\n", what));
  end_job(member.ended ? std::max(exit_code_of(member.status), 1) : 1);
}

// Where a process has died just now the job goes on from the same image, with as many as before.
void JobRun::change_to(std::string_view next) {
  if (changes_ && !code_) {
    end_.next = changes_->next_processes(next);
    code_ = 0;
    signal_all(SIGKILL);
  }
}

void JobRun::check_silence() {
  for (Member& member : members_) {
    if (!code_ && !member.ended && !member.finished && member.must_end_by && Clock::now() >= *member.must_end_by) {
      lose(member);
    }
  }
}

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

void JobRun::signal(const Member& member, int signal) {
  if (!member.here()) {
    hosts_.others->signal_process(member.host_number, member.process, signal);
  } else if (member.pid > 0 && !member.ended) {
    ::kill(member.pid, signal);
  }
}

// Those who have not ended by the time that they had for it.
void JobRun::end_overdue() {
  if (kill_at_ && Clock::now() >= *kill_at_) {
    kill_at_.reset();
    signal_all(SIGKILL);
  }
  if (drop_at_ && Clock::now() >= *drop_at_) {
    drop_at_.reset();
    for (const Member& member : members_) {
      if (!member.ended && !member.here()) {
        hosts_.others->kill_agent(member.host_number);
      }
    }
  }
}

// To all that have not ended.
void JobRun::signal_all(int signal) {
  for (const Member& member : members_) {
    if (!member.ended && (signal != SIGTERM || !member.aborting)) {
      this->signal(member, signal);
    }
  }
  // Hosts of a job that goes on are watched: there a process may take its time to end.
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
  for (Member& member : members_) {
    if (member.host_number == host && !member.ended && !member.reported) {
      member.host_loss = how;
      member.reported = loss == Loss::agent ? status : W_EXITCODE(1, 0);
      member.stream.reset();
    }
  }
}

// In a job that may survive it.
void JobRun::lose_host(std::uint32_t host, const std::string& how) {
  const bool is_used = std::ranges::find(members_, host, &Member::host_number) != members_.end();
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
