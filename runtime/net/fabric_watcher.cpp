#include "runtime/net/fabric_watcher.hpp"

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
constexpr int kAway = 1;                   // milliseconds
// The descriptor should become readable for everything; should it not, this is how late things get.
constexpr int kAsleep = 50;
// What it does not cover is tried after 1 ms, and then after twice as long each time while nothing moves, up to this.
// Then the descriptor is not looked at either: each try to reach a dead process makes it readable.
constexpr int kLongestPause = 8;
// So often in turn may the descriptor be readable for nothing before the thread stays away.
constexpr int kFalseAlarms = 16;

}  // namespace

FabricWatcher::FabricWatcher() : wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make an eventfd for libfabric");
  }
}

FabricWatcher::~FabricWatcher() {
  stop();
  close(wake_);
}

void FabricWatcher::start(Duties duties) {
  duties_ = std::move(duties);
  const base::BlockedSignals inherited;
  thread_ = base::start_thread("the thread that watches the network", [this] { watch(); });
  pthread_setname_np(thread_.native_handle(), "weft-fabric");
}

void FabricWatcher::stop() {
  if (thread_.joinable()) {
    stop_ = true;
    eventfd_write(wake_, 1);
    thread_.join();
  }
}

void FabricWatcher::take_over() {
  last_poll_ = 0;
  if (away_) {
    eventfd_write(wake_, 1);
  }
}

void FabricWatcher::hurry() {
  if (!away_) {
    eventfd_write(wake_, 1);
  }
}

bool FabricWatcher::workers_poll() const { return now() - last_poll_.load() < kRecent; }

void FabricWatcher::watch() {
  int false_alarms = 0;
  while (!stop_) {
    if (workers_poll() || false_alarms > kFalseAlarms) {
      away_ = true;
      if (workers_poll() || false_alarms > kFalseAlarms) {
        sleep(kAway, false);
      }
      away_ = false;
      false_alarms = 0;
      continue;
    }
    wait_for_work();
    if (!workers_poll()) {
      const bool moved = duties_.poll();
      false_alarms = moved ? 0 : false_alarms + 1;
      pause_ = moved ? 1 : std::min(2 * pause_, kLongestPause);
    }
  }
}

void FabricWatcher::wait_for_work() {
  if (duties_.descriptor < 0) {
    sleep(1, false);
  } else if (duties_.hurried()) {
    sleep(pause_, pause_ < kLongestPause);
  } else if (duties_.ready_to_wait()) {
    sleep(kAsleep, true);
  }
}

void FabricWatcher::sleep(int milliseconds, bool for_work) {
  std::array<pollfd, 2> wakers{{{wake_, POLLIN, 0}, {duties_.descriptor, POLLIN, 0}}};
  ::poll(wakers.data(), for_work && duties_.descriptor >= 0 ? 2 : 1, milliseconds);
  if ((wakers[0].revents & POLLIN) != 0) {
    eventfd_t count = 0;
    eventfd_read(wake_, &count);
  }
}

}  // namespace weft::net
