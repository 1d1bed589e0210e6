#include "launch/crash.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "launch/backtrace.hpp"
#include "launch/frame_walk.hpp"
#include "launch/image_program.hpp"
#include "launch/open_socket.hpp"
#include "launch/source_lines.hpp"
#include "runtime/image/describe.hpp"
#include "runtime/image/unwind.hpp"

namespace weft::launch {
namespace {

constexpr std::size_t kSignalStackBytes = std::size_t{256} << 10;  // the unwinder needs most of it
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr unsigned kTimeoutSeconds = 10;

struct Reporter {
  std::atomic<ImageProgram*> program = nullptr;  // null before the first rank and after the last
  std::size_t stack_bytes = 0;
  std::atomic<bootstrap::Bootstrap*> launcher = nullptr;  // as above
  std::atomic<pid_t> thread = 0;                          // that writes the report; 0: none yet
  std::atomic<const char*> abort_reason = "abort() was called";
};
Reporter reporter;  // members that are not atomic are written once, before the first rank starts

void say(const char* text) {
  if (::write(2, text, std::strlen(text)) < 0) {
    return;  // nobody reads it; the exit code still shows the failure
  }
}

const char* reason(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return "access to memory that is not there";
    case SIGFPE:
      return "arithmetic error, such as a division by zero";
    case SIGILL:
      return "illegal instruction";
    case SIGABRT:
      return reporter.abort_reason;
    default:
      return "fatal signal";
  }
}

// Whether the instruction that caused the signal raises it again when the handler returns.
bool is_repeated(int signal) { return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL; }

// Whether the rank's stack was too small. The fault's address is not enough to decide: parts of a large array may lie
// past the guard. The stack pointer decides, which is at the array's lower end. A stack pointer below the guard but in
// the rank's own slot may be right: the program may have made that stack itself.
bool is_stack_overflow(const runtime::Rank* me, std::uintptr_t address, std::uintptr_t stack_pointer) {
  return image::is_in_stack_guard(address) || image::is_in_stack_guard(stack_pointer) ||
         (me != nullptr && reporter.program.load()->is_below(me->id, stack_pointer));
}

void notify_launcher(const siginfo_t& info, const char* who) {
  if (bootstrap::Bootstrap* const launcher = reporter.launcher; launcher != nullptr) {
    launcher->note_crash(who, info.si_code == SI_USER && info.si_pid != ::getpid());
  }
}

// Notifies the launcher, and writes the first line of the report to `text`.
void describe_crash(const siginfo_t& info, std::uintptr_t stack_pointer, std::array<char, 400>& text) {
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  const bool memory = info.si_signo == SIGSEGV || info.si_signo == SIGBUS;
  std::array<char, 200> who{};
  const runtime::Rank* const me = runtime::current_rank();
  if (me != nullptr) {
    std::snprintf(who.data(), who.size(), "rank %u, last in %s", number(me->id), me->call);
  } else {
    std::snprintf(who.data(), who.size(), "a thread outside of the ranks");
  }
  notify_launcher(info, who.data());
  if (memory && is_stack_overflow(me, address, stack_pointer)) {
    std::snprintf(text.data(), text.size(),
                  "weft: %s: stack overflow: the stack is %zu KiB; weftrun --stack (WEFT_STACK) raises it\n",
                  who.data(), reporter.stack_bytes / 1024);
  } else if (memory) {
    std::snprintf(text.data(), text.size(), "weft: %s: %s: %s (address %p)\n", who.data(), sigdescr_np(info.si_signo),
                  reason(info.si_signo), info.si_addr);
  } else {
    std::snprintf(text.data(), text.size(), "weft: %s: %s: %s\n", who.data(), sigdescr_np(info.si_signo),
                  reason(info.si_signo));
  }
}

// Returns only in the first thread that crashes: that one writes the report and ends the process.
void wait_for_report_of_another() {
  pid_t first = 0;
  const pid_t me = ::gettid();
  while (!reporter.thread.compare_exchange_strong(first, me) && first != me) {
    ::pause();
    first = 0;
  }
}

void report(int signal, siginfo_t* info, void* context) {
  if (signal == SIGSEGV || signal == SIGBUS) {
    resume_after_fault();
  }
  wait_for_report_of_another();
  ::signal(SIGALRM, SIG_DFL);
  ::alarm(kTimeoutSeconds);  // in case the report itself hangs
  ImageProgram* const program = reporter.program;
  if (program != nullptr) {
    program->output().flush_all();
  }
  std::array<char, 400> text{};
  const auto* const registers = static_cast<const ucontext_t*>(context);
  describe_crash(*info, static_cast<std::uintptr_t>(registers->uc_mcontext.gregs[REG_RSP]), text);
  say(text.data());
  print_backtrace(static_cast<std::uintptr_t>(registers->uc_mcontext.gregs[REG_RIP]),
                  static_cast<std::uintptr_t>(registers->uc_mcontext.gregs[REG_RSP]),
                  signal == SIGABRT ? BacktraceStart::call : BacktraceStart::fault);
  withdraw_job_socket();
  if (program != nullptr) {
    program->shorten_core();
  }
  ::signal(signal, SIG_DFL);  // not earlier: a second crash would end the process in the middle of the report
  if (info->si_code <= 0 || !is_repeated(signal)) {
    ::raise(signal);
  }
}

// Owned by its thread.
class SignalStack {
 public:
  SignalStack() {
    memory_ = ::mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ != MAP_FAILED) {
      const stack_t stack{memory_, 0, kSignalStackBytes};
      ::sigaltstack(&stack, nullptr);
    }
  }
  ~SignalStack() {
    if (memory_ != MAP_FAILED) {
      const stack_t none{nullptr, SS_DISABLE, 0};
      ::sigaltstack(&none, nullptr);
      ::munmap(memory_, kSignalStackBytes);
    }
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_;
};

}  // namespace

void report_crashes(ImageProgram& program, std::size_t stack_bytes, bootstrap::Bootstrap* launcher) {
  image::read_own_names();
  find_line_reader();
  reporter.program = &program;
  reporter.stack_bytes = stack_bytes;
  reporter.launcher = launcher;
  struct sigaction action {};
  action.sa_sigaction = &report;
  // A sanitizer's alternate signal stack is about as small as the processor allows, which is too small for a report:
  // the report is then written on the stack of the rank that aborts.
  action.sa_flags = kSanitized ? SA_SIGINFO : SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGQUIT, SIGXCPU, SIGXFSZ}) {
    struct sigaction before {};
    const bool is_ours = !kSanitized || signal == SIGABRT;  // a sanitizer reports the others
    if (is_ours && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
      ::sigaction(signal, &action, nullptr);
    }
  }
}

void forget_program() {
  reporter.program = nullptr;
  reporter.launcher = nullptr;
}

void abort_with_reason(const char* why) {
  reporter.abort_reason = why;
  std::abort();
}

void install_signal_stack() {
  if constexpr (!kSanitized) {
    thread_local const SignalStack stack;
  }
}

std::string describe_rank(const runtime::Rank& rank) {
  return "rank " + std::to_string(number(rank.id)) + ", last in " + rank.call;
}

}  // namespace weft::launch
