#include "runtime/net/fabric_progress_thread.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/blocked_signals.hpp"
#include "base/thread_start.hpp"

namespace weft::net {
namespace {

constexpr std::int64_t kRecent = 500'000;  // nanoseconds
constexpr int kBackOff = 1;                // milliseconds
// The descriptor should become readable for every event. If it does not, events are handled this much later at most.
constexpr int kAsleep = 50;
// Work that the descriptor does not report is tried after 1 ms, then after twice as long each time while nothing
// happens, up to this. At the maximum the descriptor is ignored too: each attempt to reach a dead process makes it
// readable.
constexpr int kLongestPause = 8;
// After so many wake-ups in a row without work the thread backs off.
constexpr int kFalseAlarms = 16;

}  // namespace

FabricProgressThread::FabricProgressThread() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make an eventfd for libfabric");
  }
}

FabricProgressThread::~FabricProgressThread() {
  stop();
  close(wake_);
}

void FabricProgressThread::start(Callbacks callbacks) {
  callbacks_ = std::move(callbacks);
  const base::BlockedSignals inherited;
  thread_ = base::start_thread("the thread that watches the network", [this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "weft-fabric");
}

void FabricProgressThread::stop() {
  if (thread_.joinable()) {
    stop_ = true;
    eventfd_write(wake_, 1);
    thread_.join();
  }
}

void FabricProgressThread::take_over() {
  last_poll_ = 0;
  if (is_backing_off_) {
    eventfd_write(wake_, 1);
  }
}

void FabricProgressThread::wake_up() {
  if (!is_backing_off_) {
    eventfd_write(wake_, 1);
  }
}

bool FabricProgressThread::workers_poll() const { return now() - last_poll_.load() < kRecent; }

void FabricProgressThread::watch() {
  int false_alarms = 0;
  while (!stop_) {
    if (workers_poll() || false_alarms > kFalseAlarms) {
      is_backing_off_ = true;
      // Looks again: take_over() resets last_poll_ and then reads the flag. So either this sees that no worker polls,
      // or take_over() sees the flag and ends the sleep.
      if (workers_poll() || false_alarms > kFalseAlarms) {
        sleep(kBackOff, false);
      }
      is_backing_off_ = false;
      false_alarms = 0;
      continue;
    }
    wait_for_work();
    if (!workers_poll()) {
      const bool moved = callbacks_.poll();
      false_alarms = moved ? 0 : false_alarms + 1;
      pause_ = moved ? 1 : std::min(2 * pause_, kLongestPause);
    }
  }
}

void FabricProgressThread::wait_for_work() {
  if (callbacks_.descriptor < 0) {
    sleep(1, false);
  } else if (callbacks_.must_poll()) {
    sleep(pause_, pause_ < kLongestPause);
  } else if (callbacks_.ready_to_wait()) {
    sleep(kAsleep, true);
  }
}

void FabricProgressThread::sleep(int milliseconds, bool for_work) {
  std::array<pollfd, 2> wakers{{{wake_, POLLIN, 0}, {callbacks_.descriptor, POLLIN, 0}}};
  ::poll(wakers.data(), for_work && callbacks_.descriptor >= 0 ? 2 : 1, milliseconds);
  if ((wakers[0].revents & POLLIN) != 0) {
    eventfd_t count = 0;
    eventfd_read(wake_, &count);
  }
}

}  // namespace weft::net
