#include "launch/worker_signal.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace weft::launch {
namespace {

constexpr int kSignal = SIGURG;

std::array<std::atomic<WorkerRequestHandler>, 2> handlers{};  // by request

void on_signal(int /*signal*/, siginfo_t* info, void* context) {
  const int request = info->si_value.sival_int;
  if (info->si_code != SI_QUEUE || info->si_pid != ::getpid() || request < 0 ||
      static_cast<std::size_t>(request) >= handlers.size()) {
    return;
  }
  const int kept = errno;
  // Acquire: pairs with set_worker_request_handler(). What the handler uses was set before it.
  if (const WorkerRequestHandler handler = handlers[static_cast<std::size_t>(request)].load(std::memory_order_acquire);
      handler != nullptr) {
    handler(*static_cast<ucontext_t*>(context));
  }
  errno = kept;
}

}  // namespace

void set_worker_request_handler(WorkerRequest request, WorkerRequestHandler handler) {
  // Release: pairs with on_signal().
  handlers[static_cast<std::size_t>(request)].store(handler, std::memory_order_release);
  struct sigaction action {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ::sigaction(kSignal, &action, nullptr);
}

bool send_worker_request(int thread, WorkerRequest request) {
  struct sigaction now {};
  if (::sigaction(kSignal, nullptr, &now) != 0 || now.sa_sigaction != &on_signal) {
    return false;
  }
  siginfo_t info{};
  info.si_signo = kSignal;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = static_cast<int>(request);
  return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), thread, kSignal, &info) == 0;
}

}  // namespace weft::launch
