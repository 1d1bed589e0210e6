// Signals. Dispositions belong to the process, and faults are its own to name: handlers for fatal signals are recorded
// and reported back, never installed. Others are installed for the whole process, with a warning.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/image/shim/rank_state.hpp"
#include "runtime/image/shim/subjects.hpp"

namespace weft::shim {
namespace {

constexpr int kSignals = 65;
using Action = struct sigaction;

Action recorded[kSignals];
bool has_warned;

bool is_fatal(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
    case SIGQUIT:
    case SIGXCPU:
    case SIGXFSZ:
      return true;
    default:
      return false;
  }
}

bool is_function(const Action& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }

void warn_once(int signal) {
  if (!has_warned && weft_shim_info.rank == 0) {
    has_warned = true;
    fprintf(stderr,
            "weft: warning: the program handles signal %d (%s): all ranks of a process share one handler, the one "
            "installed last\n",
            signal, sigdescr_np(signal));
  }
}

int set_action(int signal, const Action* action, Action* previous) {
  if (signal < 1 || signal >= kSignals || signal == SIGKILL || signal == SIGSTOP) {
    return WEFT_OF_PROCESS(sigaction)(signal, action, previous);
  }
  const Action before = recorded[signal];
  if (!is_fatal(signal)) {
    if (action != nullptr && is_function(*action)) {
      warn_once(signal);
    }
    const int result = WEFT_OF_PROCESS(sigaction)(signal, action, previous);
    if (result != 0) {
      return result;
    }
  } else if (previous != nullptr) {
    *previous = before;
  }
  if (action != nullptr) {
    recorded[signal] = *action;
  }
  return 0;
}

using Handler = void (*)(int);

Handler set_handler(int signal, Handler handler, int flags) {
  Action action = {};
  Action previous = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  return set_action(signal, &action, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}

}  // namespace

int handled_signal() {
  for (int signal = 1; signal < kSignals; ++signal) {
    if (!is_fatal(signal) && is_function(recorded[signal])) {
      return signal;
    }
  }
  return 0;
}

}  // namespace weft::shim

WEFT_RANK_EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* previous) noexcept {
  return weft::shim::set_action(signal, action, previous);
}

WEFT_RANK_EXPORT int __sigaction(int signal, const struct sigaction* action, struct sigaction* previous);
int __sigaction(int signal, const struct sigaction* action, struct sigaction* previous) {
  return weft::shim::set_action(signal, action, previous);
}

WEFT_RANK_EXPORT sighandler_t signal(int signal, sighandler_t handler) noexcept {
  return weft::shim::set_handler(signal, handler, SA_RESTART);
}

WEFT_RANK_EXPORT sighandler_t weft_bsd_signal(int signal, sighandler_t handler) __asm__("bsd_signal");
sighandler_t weft_bsd_signal(int signal, sighandler_t handler) {
  return weft::shim::set_handler(signal, handler, SA_RESTART);
}

WEFT_RANK_EXPORT sighandler_t sysv_signal(int signal, sighandler_t handler) noexcept {
  return weft::shim::set_handler(signal, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

WEFT_RANK_EXPORT sighandler_t __sysv_signal(int signal, sighandler_t handler) noexcept {
  return sysv_signal(signal, handler);
}

// The workers have their own, for stack overflows.
WEFT_RANK_EXPORT int sigaltstack(const stack_t*, stack_t* previous) noexcept {
  if (previous != nullptr) {
    *previous = {};
    previous->ss_flags = SS_DISABLE;
  }
  return 0;
}
