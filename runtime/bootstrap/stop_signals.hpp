// Receives the signals that tell the launcher to stop or that a process has ended, and the user's signals to a job.
#pragma once

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>
#include <vector>

namespace weft::bootstrap {

// Blocks or unblocks SIGUSR1 and SIGUSR2. SIG_BLOCK: they stay pending, also in processes that this one starts, which
// an early signal would otherwise end. SIG_UNBLOCK: the job handles them now. REQUIRES: no other thread.
inline void mask_user_signals(int how) {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGUSR1);
  ::sigaddset(&signals, SIGUSR2);
  ::sigprocmask(how, &signals, nullptr);
}

// While this object lives, its signals are read from it instead of having their usual effect. If the parent process has
// set stop signals to be ignored (nohup, a shell's background job), they stay ignored. REQUIRES: no other thread.
class StopSignals {
 public:
  // True for signals that ask the launcher to stop.
  static bool stops(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  }

  StopSignals() {
    sigset_t taken;
    ::sigemptyset(&taken);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      struct sigaction action {};
      const bool is_ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
      if (!is_ignored || !stops(signal)) {
        ::sigaddset(&taken, signal);
      }
    }
    // If SIGCHLD is ignored, the kernel keeps no exit statuses for waitpid().
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &usual, &child_before_);
    ::sigprocmask(SIG_BLOCK, &taken, &before_);
    fd_ = ::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~StopSignals() {
    ::close(fd_);
    ::sigaction(SIGCHLD, &child_before_, nullptr);
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_; }
  // The signals that were blocked before this object was made.
  const sigset_t& before() const { return before_; }
  // A received signal that tells the launcher to stop, if there is one. SIGCHLD is skipped.
  std::optional<int> stop_request() {
    signalfd_siginfo info;
    while (::read(fd_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGUSR1 || info.ssi_signo == SIGUSR2) {
        user_signals_.push_back(static_cast<int>(info.ssi_signo));
      } else if (info.ssi_signo != SIGCHLD) {
        return static_cast<int>(info.ssi_signo);
      }
    }
    return std::nullopt;
  }
  // The SIGUSR1 and SIGUSR2 that stop_request() has read.
  std::vector<int> take_user_signals() { return std::exchange(user_signals_, {}); }

 private:
  sigset_t before_{};
  struct sigaction child_before_ {};
  int fd_ = -1;
  std::vector<int> user_signals_;
};

}  // namespace weft::bootstrap
