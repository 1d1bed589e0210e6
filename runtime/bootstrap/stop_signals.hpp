// The signals that tell the launcher that a process has ended, or to stop; those that ask a job for something.
#pragma once

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

namespace weft::bootstrap {

// SIGUSR1 and SIGUSR2. SIG_BLOCK: from here on they wait for a job that listens, also in processes that this one
// starts, which one that comes early would end. SIG_UNBLOCK: the job listens. REQUIRES: no other thread.
inline void mask_user_signals(int how) {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGUSR1);
  ::sigaddset(&signals, SIGUSR2);
  ::sigprocmask(how, &signals, nullptr);
}

// While it lives these signals go to the one who asks, in place of what they do else. REQUIRES: no other thread.
class StopSignals {
 public:
  // `user_signal`: SIGUSR1 too, which is to be passed on.
  explicit StopSignals(bool user_signal = false) {
    sigset_t taken;
    ::sigemptyset(&taken);
    if (user_signal) {
      ::sigaddset(&taken, SIGUSR1);
    }
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      ::sigaddset(&taken, signal);
    }
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    fd_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~StopSignals() {
    ::close(fd_);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_; }
  const sigset_t& before() const { return before_; }
  // A signal that tells the launcher to stop; SIGCHLD is left out.
  std::optional<int> stop_request() {
    signalfd_siginfo info;
    while (::read(fd_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGUSR1) {
        user_signal_ = true;
      } else if (info.ssi_signo != SIGCHLD) {
        return static_cast<int>(info.ssi_signo);
      }
    }
    return std::nullopt;
  }
  // Whether SIGUSR1 has come; stop_request() sees it.
  bool take_user_signal() { return std::exchange(user_signal_, false); }

 private:
  sigset_t before_{};
  int fd_ = -1;
  bool user_signal_ = false;
};

}  // namespace weft::bootstrap
