#include "runtime/bootstrap/system_calls.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace weft::bootstrap {
namespace {

constexpr long kSignalSetBytes = 8;  // as the kernel counts
constexpr int kNone = -1;            // a descriptor that is not open: EBADF then says that the call is allowed

// A call that does nothing, or fails because its arguments are impossible.
struct Probe {
  const char* name;
  long (*call)();
};

long affinity() {
  std::array<unsigned long, 1024> cores{};
  return ::syscall(SYS_sched_getaffinity, 0, sizeof cores, cores.data());
}

// Fails because it has no arguments. Where clone3 does not exist, the C library uses clone.
long new_thread() {
  const long result = ::syscall(SYS_clone3, nullptr, 0);
  return result < 0 && errno == ENOSYS ? 0 : result;
}

long new_event() {
  const long descriptor = ::syscall(SYS_eventfd2, 0, EFD_CLOEXEC);
  if (descriptor >= 0) {
    ::close(static_cast<int>(descriptor));
  }
  return descriptor;
}

long new_socket_pair() {
  std::array<int, 2> ends{};
  const long result = ::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  if (result == 0) {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  return result;
}

long signal_on_parents_death() {
  int signal = 0;
  return ::syscall(SYS_prctl, PR_GET_PDEATHSIG, &signal, 0, 0, 0);
}

// Waits for the calling process itself, which is no child of its own: fails at once with ECHILD.
long wait_for_nobody() { return ::syscall(SYS_wait4, ::syscall(SYS_getpid), nullptr, WNOHANG, nullptr); }

constexpr Probe kOfEveryProcess[] = {
    {"write", [] { return ::syscall(SYS_write, kNone, nullptr, 0); }},
    {"writev", [] { return ::syscall(SYS_writev, kNone, nullptr, 0); }},
    {"read", [] { return ::syscall(SYS_read, kNone, nullptr, 0); }},
    {"sched_getaffinity", affinity},
    {"getdents64", [] { return ::syscall(SYS_getdents64, kNone, nullptr, 0); }},
    {"clone3 (with EPERM; ENOSYS would do)", new_thread},
};

constexpr Probe kBetweenProcesses[] = {
    {"eventfd2", new_event},
    {"fcntl", [] { return ::syscall(SYS_fcntl, kNone, 0, 0); }},
    {"poll", [] { return ::syscall(SYS_poll, nullptr, 0, 0); }},
    {"getrandom", [] { return ::syscall(SYS_getrandom, nullptr, 0, 0); }},
    {"rt_sigprocmask", [] { return ::syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, nullptr, kSignalSetBytes); }},
    {"signalfd4", [] { return ::syscall(SYS_signalfd4, kNone, nullptr, 0, 0); }},
    {"socketpair", new_socket_pair},
    {"sendto", [] { return ::syscall(SYS_sendto, kNone, nullptr, 0, 0, nullptr, 0); }},
    {"recvfrom", [] { return ::syscall(SYS_recvfrom, kNone, nullptr, 0, 0, nullptr, nullptr); }},
    {"shutdown", [] { return ::syscall(SYS_shutdown, kNone, 0); }},
    {"wait4", wait_for_nobody},
    {"kill", [] { return ::syscall(SYS_kill, ::syscall(SYS_getpid), 0); }},
    {"prctl", signal_on_parents_death},
    {"getpid", [] { return ::syscall(SYS_getpid); }},
    {"getppid", [] { return ::syscall(SYS_getppid); }},
    {"dup2", [] { return ::syscall(SYS_dup2, kNone, kNone); }},
    {"memfd_create", [] { return ::syscall(SYS_memfd_create, nullptr, 0); }},
    {"ftruncate", [] { return ::syscall(SYS_ftruncate, kNone, 0); }},
};

void require(std::span<const Probe> probes) {
  for (const Probe& probe : probes) {
    if (probe.call() < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS)) {
      throw std::runtime_error(std::string("the system call ") + probe.name + " is forbidden here (" +
                               std::strerror(errno) + "): the container's or service's seccomp filter must allow it");
    }
  }
}

}  // namespace

void require_calls_of_every_process() { require(kOfEveryProcess); }

void require_calls_between_processes() { require(kBetweenProcesses); }

}  // namespace weft::bootstrap
