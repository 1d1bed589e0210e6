// Signals. The process itself handles fatal signals: a rank's handlers for them are recorded and returned by queries,
// never installed. Other handlers are the rank's own. The process runs them along with those of its other ranks, and
// they move with the rank. When a handler has run, it ends the sleep of its rank, as it would end that of a process.
#include <errno.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

constexpr int kSignals = 65;
using Action = struct sigaction;

Action recorded[kSignals];
int handling;  // lock: handlers of a rank run one after the other, as in a process, whatever thread runs them

// Lies in the frame of run_handler(): the handler's own frames are at lower addresses of the same stack.
struct RunningHandler {
  RunningHandler* outer;  // the one that it has interrupted: only in a forked child, where there is no lock
  sigset_t mask;          // of the thread before the handler ran
};
RunningHandler* innermost;  // on the rank's own stack; null if none runs there

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

int set_action_of_process(int signal, const Action& action);

// The mask while a handler runs: all signals but faults. A second handler on the same thread would wait in
// run_handler() for the lock that the interrupted one holds.
void block_all_but_faults(sigset_t& mask) {
  sigfillset(&mask);
  for (int signal = 1; signal < kSignals; ++signal) {
    if (is_fatal(signal)) {
      sigdelset(&mask, signal);
    }
  }
}

// The handler that the process runs for the rank's handlers.
void run_handler(int signal, siginfo_t* info, void* context) {
  const bool is_alone = is_forked_child();
  // Pairs with the store below and the one in leave_signal_handlers().
  while (!is_alone && __atomic_exchange_n(&handling, 1, __ATOMIC_ACQUIRE) != 0) {
    __builtin_ia32_pause();
  }
  const Action action = recorded[signal];
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    recorded[signal] = {};
    set_action_of_process(signal, recorded[signal]);
  }
  RunningHandler running = {innermost, static_cast<const ucontext_t*>(context)->uc_sigmask};
  // On another stack it has interrupted another rank or a thread of the process; calls made there do not suspend.
  const bool is_here = on_rank_stack();
  if (is_here) {
    innermost = &running;
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else if (is_function(action)) {
    action.sa_handler(signal);
  }
  if (is_here) {
    innermost = running.outer;
  }
  if (!is_alone) {
    __atomic_store_n(&handling, 0, __ATOMIC_RELEASE);  // pairs with the next run_handler()
  }
  if (weft_shim_info.host.interrupt != nullptr && !is_alone) {
    weft_shim_info.host.interrupt(weft_shim_info.rank);
  }
}

int set_action_of_process(int signal, const Action& action) {
  Action runs = action;
  runs.sa_flags &= ~SA_ONSTACK;  // the alternate stacks are Weft's: the rank has none
  if (is_function(action)) {
    runs.sa_sigaction = &run_handler;
    runs.sa_flags |= SA_SIGINFO;
    block_all_but_faults(runs.sa_mask);
  }
  if (weft_shim_info.host.handle_signal == nullptr || is_forked_child()) {
    return WEFT_OF_PROCESS(sigaction)(signal, &runs, nullptr);
  }
  return weft_shim_info.host.handle_signal(weft_shim_info.rank, signal, &runs,
                                           is_function(action) ? &run_handler : nullptr);
}

int set_action(int signal, const Action* action, Action* previous) {
  if (signal < 1 || signal >= kSignals || signal == SIGKILL || signal == SIGSTOP) {
    return WEFT_OF_PROCESS(sigaction)(signal, action, previous);
  }
  const Action before = recorded[signal];
  if (!is_fatal(signal)) {
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
    const int result = set_action_of_process(signal, asked);
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

// For a signal that the rank sends to its own process. With another MPI that process would be the rank's alone, so this
// runs only the rank's own handler, directly. False if there is none that would run now.
bool run_own_handler(int signal, int code) {
  sigset_t masked;
  if (signal < 1 || signal >= kSignals || is_fatal(signal) || !is_function(recorded[signal]) ||
      pthread_sigmask(SIG_SETMASK, nullptr, &masked) != 0 || sigismember(&masked, signal) != 0) {
    return false;
  }
  sigset_t mask;
  block_all_but_faults(mask);
  siginfo_t info = {};
  info.si_signo = signal;
  info.si_code = code;
  info.si_pid = getpid();
  info.si_uid = getuid();
  ucontext_t context = {};
  getcontext(&context);
  pthread_sigmask(SIG_BLOCK, &mask, nullptr);
  run_handler(signal, &info, &context);
  pthread_sigmask(SIG_SETMASK, &masked, nullptr);
  return true;
}

}  // namespace

void restore_signal_handlers() {
  handling = 0;  // a handler may have been running while the rank's memory was copied
  for (int signal = 1; signal < kSignals; ++signal) {
    if (!is_fatal(signal) && recorded[signal].sa_handler != SIG_DFL) {
      set_action_of_process(signal, recorded[signal]);
    }
  }
}

bool in_signal_handler() { return innermost != nullptr; }

void leave_signal_handlers(const void* target) {
  if (!on_rank_stack()) {
    return;
  }
  const auto at = reinterpret_cast<size_t>(target);
  const auto here = reinterpret_cast<size_t>(__builtin_frame_address(0));
  const RunningHandler* left = nullptr;
  while (innermost != nullptr && (at < here || at > reinterpret_cast<size_t>(innermost))) {
    left = innermost;
    innermost = innermost->outer;
  }
  if (left == nullptr) {
    return;
  }
  if (!is_forked_child()) {
    __atomic_store_n(&handling, 0, __ATOMIC_RELEASE);  // pairs with the exchange in run_handler()
  }
  // While signals stay blocked the thread is not preempted, and other ranks that run on it hear no signal.
  pthread_sigmask(SIG_SETMASK, &left->mask, nullptr);
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

WEFT_RANK_EXPORT int raise(int signal) noexcept {
  return weft::shim::run_own_handler(signal, SI_TKILL) ? 0 : WEFT_OF_PROCESS(raise)(signal);
}

WEFT_RANK_EXPORT int kill(pid_t process, int signal) noexcept {
  return process == getpid() && weft::shim::run_own_handler(signal, SI_USER) ? 0
                                                                             : WEFT_OF_PROCESS(kill)(process, signal);
}

// The workers have their own alternate stacks, for stack overflows.
WEFT_RANK_EXPORT int sigaltstack(const stack_t*, stack_t* previous) noexcept {
  if (previous != nullptr) {
    *previous = {};
    previous->ss_flags = SS_DISABLE;
  }
  return 0;
}
