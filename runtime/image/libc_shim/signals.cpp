// Signals. Dispositions belong to the process, and faults are its own to name: handlers for fatal signals are recorded
// and reported back, never installed. Others are installed for the whole process, with a warning; one that has run ends
// the sleep of its rank, as it would end that of a process.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/subjects.hpp"

namespace weft::shim {
namespace {

constexpr int kSignals = 65;
using Action = struct sigaction;

Action recorded[kSignals];
bool has_warned;
int handlers_running;  // on the rank's own stack

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
    char name[32];
    snprintf(name, sizeof name, "SIGRTMIN%+d", signal - SIGRTMIN);
    const char* const known = sigdescr_np(signal);  // real-time signals have none
    fprintf(stderr,
            "weft: warning: the program handles signal %d (%s): all ranks of a process share one handler, the one "
            "installed last\n",
            signal, known != nullptr ? known : name);
  }
}

// What the process has in place of the rank's handlers.
void run_handler(int signal, siginfo_t* info, void* context) {
  const Action action = recorded[signal];
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    recorded[signal] = {};
  }
  // Elsewhere it has interrupted another rank or a thread of the process, which calls from there do not suspend.
  const int here = on_rank_stack() ? 1 : 0;
  handlers_running += here;
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else if (is_function(action)) {
    action.sa_handler(signal);
  }
  handlers_running -= here;
  if (weft_shim_info.host.interrupt != nullptr && !is_forked_child()) {
    weft_shim_info.host.interrupt(weft_shim_info.rank);
  }
}

// Its own handler runs inside of run_handler().
int set_action_of_process(int signal, const Action* action) {
  if (action == nullptr || !is_function(*action)) {
    return WEFT_OF_PROCESS(sigaction)(signal, action, nullptr);
  }
  Action runs = *action;
  runs.sa_sigaction = &run_handler;
  runs.sa_flags |= SA_SIGINFO;
  return WEFT_OF_PROCESS(sigaction)(signal, &runs, nullptr);
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
    Action of_process = {};
    if (WEFT_OF_PROCESS(sigaction)(signal, nullptr, &of_process) != 0) {
      return -1;
    }
    const Action asked = action == nullptr ? Action{} : *action;  // may be where `previous` is
    if (previous != nullptr) {
      *previous = is_function(before) || is_function(of_process) ? before : of_process;
    }
    if (action == nullptr) {
      return 0;
    }
    recorded[signal] = asked;  // a signal may come at once
    const int result = set_action_of_process(signal, &asked);
    if (result != 0) {
      recorded[signal] = before;
    }
    return result;
  }
  if (previous != nullptr) {
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

bool in_signal_handler() { return handlers_running != 0; }

void leave_signal_handlers() {
  if (on_rank_stack()) {
    handlers_running = 0;
  }
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
