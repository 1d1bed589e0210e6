#include "runtime/output/sink.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/blocked_signals.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"

namespace weft::runtime {
inline namespace output {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kDelay{2};
constexpr std::size_t kMostGathered = std::size_t{64} << 10;

bool may_wait(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

// Drops `size` bytes from the front of the two parts.
void advance(std::array<iovec, 2>& parts, std::size_t size) {
  for (auto& part : parts) {
    const auto step = std::min(size, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + step;
    part.iov_len -= step;
    size -= step;
  }
}

// The first bytes of the two parts.
std::array<iovec, 2> front(std::array<iovec, 2> parts, std::size_t most) {
  parts[0].iov_len = std::min(parts[0].iov_len, most);
  parts[1].iov_len = std::min(parts[1].iov_len, most - parts[0].iov_len);
  return parts;
}

}  // namespace

std::unique_lock<std::mutex> lock_until(Sink::Time end, std::mutex& mutex) {
  if (end == Sink::kForever) {
    return std::unique_lock(mutex);
  }
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && Clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
    lock = std::unique_lock(mutex, std::try_to_lock);
  }
  return lock;
}

Sink::Sink(const SinkConfig& config) : config_(config), waits_{may_wait(config.fds[0]), may_wait(config.fds[1])} {
  if (config_.gathers) {
    const base::BlockedSignals inherited;  // signals are for the threads that run ranks
    writer_ = base::start_thread("the thread that writes output", [this] { run(); });
  }
}

Sink::~Sink() {
  if (writer_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_one();
    }
    writer_.join();
  }
  flush(kForever);
}

ssize_t Sink::write(int fd, std::string_view first, std::string_view second, Time end) {
  const auto lock = lock_until(end, mutex_);
  if (!lock) {
    errno = EAGAIN;
    return -1;
  }
  if (fd == 1 && config_.gathers && gather(first, second)) {
    return 0;
  }
  const ssize_t result = write_gathered(end);
  return result < 0 && fd == 1 ? result : put(fd, first, second, end);
}

ssize_t Sink::flush(Time end) {
  const auto lock = lock_until(end, mutex_);
  if (!lock) {
    errno = EAGAIN;
    return -1;
  }
  return write_gathered(end);
}

// The first line after a pause goes out at once. So does the next one after a failure, to fail or to raise SIGPIPE by
// itself.
bool Sink::gather(std::string_view first, std::string_view second) {
  if (gathered_.size() + first.size() + second.size() > kMostGathered ||
      (gathered_.empty() && Clock::now() - kDelay >= last_)) {
    return false;
  }
  if (gathered_.empty()) {
    changed_.notify_one();
  }
  gathered_.append(first).append(second);
  return true;
}

ssize_t Sink::write_gathered(Time end) {
  if (gathered_.empty()) {
    return 0;
  }
  const ssize_t result = put(1, gathered_, {}, end);
  gathered_.clear();
  return result;
}

ssize_t Sink::put(int fd, std::string_view first, std::string_view second, Time end) {
  const std::size_t which = fd == 2 ? 1 : 0;
  std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                             iovec{const_cast<char*>(second.data()), second.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    if (waits_[which] && !wait_until_writable(config_.fds[which], end)) {
      errno = EAGAIN;
      return -1;
    }
    // A pipe that is writable takes so many bytes without waiting.
    const auto piece = front(parts, waits_[which] ? PIPE_BUF : SSIZE_MAX);
    const auto written = ::writev(config_.fds[which], piece.data(), 2);
    if (written >= 0) {
      advance(parts, static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      const int error = errno;
      last_ = Time::min();
      if (error != EPIPE) {
        tell_once(fd, std::strerror(error));
      }
      errno = error;
      return -1;
    }
  }
  last_ = fd == 1 && config_.gathers ? Clock::now() : last_;
  return 0;
}

bool Sink::wait_until_writable(int fd, Time end) {
  for (;;) {
    const Time now = Clock::now();
    const auto wait = end - now < config_.timeout ? std::chrono::ceil<milliseconds>(end - now) : config_.timeout;
    pollfd wanted{fd, POLLOUT, 0};
    const int found = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(wait.count(), 0)));
    if (found > 0 || (found < 0 && errno != EINTR)) {
      return true;  // a stream that is broken fails in the write
    }
    if (Clock::now() >= end) {
      return false;
    }
    if (found == 0) {
      tell_once(fd == config_.fds[1] ? 2 : 1, "nobody reads it, and ranks that print wait for that");
    }
  }
}

void Sink::tell_once(int fd, const char* what) {
  if (!std::exchange(told_, true)) {
    base::say(std::string("weft: standard ") + (fd == 2 ? "error" : "output") + ": " + what + "\n", config_.fds[1],
              milliseconds(0));
  }
}

void Sink::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (gathered_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kDelay, [this] { return ends_; });
      write_gathered(kForever);
    }
  }
}

}  // namespace output
}  // namespace weft::runtime
