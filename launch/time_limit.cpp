#include "launch/time_limit.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/thread_start.hpp"

namespace weft::launch {

namespace {

// Written before the alarm is set.
std::array<char, 200> start_line{};
bootstrap::Bootstrap* launcher = nullptr;

void on_alarm(int /*signal*/) {
  [[maybe_unused]] const ssize_t said = ::write(STDERR_FILENO, start_line.data(), std::strlen(start_line.data()));
  if (launcher != nullptr) {
    launcher->abort_from_handler(1);
  }
  ::_exit(1);
}

}  // namespace

StartLimit::StartLimit(std::uint32_t seconds, bootstrap::Bootstrap* bootstrap)
    : seconds_(seconds), end_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {
  if (seconds != 0) {
    fmt::format_to_n(start_line.data(), start_line.size() - 1,
                     "weft: the job has not started after {} seconds, its limit (--timeout, MPIEXEC_TIMEOUT): its "
                     "processes wait for each other\n",
                     seconds);
    launcher = bootstrap;
    std::signal(SIGALRM, on_alarm);
    ::alarm(seconds);
  }
}

StartLimit::~StartLimit() {
  if (seconds_ != 0) {
    ::alarm(0);
    std::signal(SIGALRM, SIG_DFL);
  }
}

TimeLimit::TimeLimit(runtime::Job& job, const StartLimit& start) {
  if (start.seconds() == 0) {
    return;
  }
  ::alarm(0);
  std::signal(SIGALRM, SIG_DFL);
  const auto wait_and_abort = [&job, seconds = start.seconds(), end = start.end()](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wakeup;  // by the stop token alone
    std::unique_lock lock(mutex);
    wakeup.wait_until(lock, stop, end, [&] { return stop.stop_requested(); });
    if (!stop.stop_requested()) {
      job.abort(1,
                fmt::format("weft: the job has run for {} seconds, its limit (--timeout, MPIEXEC_TIMEOUT)", seconds));
    }
  };
  thread_ = base::start_thread<std::jthread>("the thread that keeps --timeout", wait_and_abort);
}

}  // namespace weft::launch
