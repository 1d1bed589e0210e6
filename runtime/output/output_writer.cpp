#include "runtime/output/output_writer.hpp"

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
constexpr std::size_t kMostBuffered = std::size_t{64} << 10;

bool may_wait(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

// Removes `size` bytes from the front of the two parts.
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

std::unique_lock<std::mutex> lock_until(OutputWriter::Time end, std::mutex& mutex) {
  if (end == OutputWriter::kForever) {
    return std::unique_lock(mutex);
  }
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && Clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
    lock = std::unique_lock(mutex, std::try_to_lock);
  }
  return lock;
}

OutputWriter::OutputWriter(const OutputWriterConfig& config)
    : config_(config), waits_{may_wait(config.fds[0]), may_wait(config.fds[1])} {
  if (config_.buffers_lines) {
    const base::BlockedSignals inherited;  // signals are for the threads that run ranks
    flush_thread_ = base::start_thread("the thread that writes output", [this] { run(); });
  }
}

OutputWriter::~OutputWriter() {
  if (flush_thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      changed_.notify_one();
    }
    flush_thread_.join();
  }
  flush(kForever);
}

ssize_t OutputWriter::write(int fd, std::string_view first, std::string_view second, Time end) {
  const auto lock = lock_until(end, mutex_);
  if (!lock) {
    errno = EAGAIN;
    return -1;
  }
  if (fd == 1 && config_.buffers_lines && buffer(first, second)) {
    return 0;
  }
  const ssize_t result = write_buffered(end);
  return result < 0 && fd == 1 ? result : put(fd, first, second, end);
}

ssize_t OutputWriter::flush(Time end) {
  const auto lock = lock_until(end, mutex_);
  if (!lock) {
    errno = EAGAIN;
    return -1;
  }
  return write_buffered(end);
}

// False: the text is to be written at once. So is the first line after a pause, and the next one after a failure, so
// that it fails or raises SIGPIPE in its own call.
bool OutputWriter::buffer(std::string_view first, std::string_view second) {
  if (buffered_.size() + first.size() + second.size() > kMostBuffered ||
      (buffered_.empty() && Clock::now() - kDelay >= last_)) {
    return false;
  }
  if (buffered_.empty()) {
    changed_.notify_one();
  }
  buffered_.append(first).append(second);
  return true;
}

ssize_t OutputWriter::write_buffered(Time end) {
  if (buffered_.empty()) {
    return 0;
  }
  const ssize_t result = put(1, buffered_, {}, end);
  buffered_.clear();
  return result;
}

ssize_t OutputWriter::put(int fd, std::string_view first, std::string_view second, Time end) {
  const std::size_t which = fd == 2 ? 1 : 0;
  std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                             iovec{const_cast<char*>(second.data()), second.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    if (waits_[which] && !wait_until_writable(config_.fds[which], end)) {
      errno = EAGAIN;
      return -1;
    }
    // A writable pipe accepts PIPE_BUF bytes without waiting.
    const auto piece = front(parts, waits_[which] ? PIPE_BUF : SSIZE_MAX);
    const auto written = ::writev(config_.fds[which], piece.data(), 2);
    if (written >= 0) {
      advance(parts, static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      const int error = errno;
      last_ = Time::min();
      if (error != EPIPE) {
        warn_once(fd, std::strerror(error));
      }
      errno = error;
      return -1;
    }
  }
  last_ = fd == 1 && config_.buffers_lines ? Clock::now() : last_;
  return 0;
}

bool OutputWriter::wait_until_writable(int fd, Time end) {
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
      warn_once(fd == config_.fds[1] ? 2 : 1, "nobody reads it, and ranks that print wait for that");
    }
  }
}

void OutputWriter::warn_once(int fd, const char* what) {
  if (!std::exchange(has_warned_, true)) {
    base::say(std::string("weft: standard ") + (fd == 2 ? "error" : "output") + ": " + what + "\n", config_.fds[1],
              milliseconds(0));
  }
}

void OutputWriter::run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (buffered_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, kDelay, [this] { return ends_; });
      write_buffered(kForever);
    }
  }
}

}  // namespace output
}  // namespace weft::runtime
