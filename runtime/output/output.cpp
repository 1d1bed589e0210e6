#include "runtime/output/output.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace weft::runtime {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // longer ones may be torn
constexpr auto kPatience = std::chrono::milliseconds(100);

// Bytes up to and with the last end of line; 0 if there is none.
std::size_t complete_part(std::string_view text) {
  const auto last = text.find_last_of("\n\r");
  return last == std::string_view::npos ? 0 : last + 1;
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

// Owns the mutex, unless another still holds it at `end`. (Not a timed mutex: TSan does not know
// pthread_mutex_clocklock.)
std::unique_lock<std::mutex> lock_until(std::chrono::steady_clock::time_point end, std::mutex& mutex) {
  std::unique_lock lock(mutex, std::try_to_lock);
  while (!lock && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock = std::unique_lock(mutex, std::try_to_lock);
  }
  return lock;
}

void wait_until_writable(int fd) {
  pollfd wanted{fd, POLLOUT, 0};
  ::poll(&wanted, 1, -1);
}

}  // namespace

Output::Output(std::uint32_t ranks, bool tag, std::array<int, 2> fds)
    : tag_(tag),
      fds_(fds),
      interactive_(!tag && ::isatty(fds[0]) == 1),
      streams_(2 * std::size_t{ranks}),
      stripes_(std::make_unique<Stripe[]>(kStripes)) {}

Output::~Output() { flush_all(); }

ssize_t Output::write(std::uint32_t rank, int fd, const void* bytes, std::size_t size) {
  const std::string_view text(static_cast<const char*>(bytes), size);
  const std::lock_guard lock(lock_of(rank));
  auto& target = stream(rank, fd);
  auto complete = complete_part(text);
  if (interactive_ && rank == 0) {
    complete = size;
  }
  if (complete > 0 && write_lines(rank, target, fd, text.substr(0, complete), kForever) < 0) {
    return -1;
  }
  target.pending += text.substr(complete);
  if (target.pending.size() > kLongestLine) {
    write_lines(rank, target, fd, {}, kForever);
  }
  return static_cast<ssize_t>(size);
}

ssize_t Output::write_lines(std::uint32_t rank, Stream& stream, int fd, std::string_view text, Time end) {
  const bool line_started = stream.line_started;
  const ssize_t result = tag_ ? put(fd, tagged(rank, stream, stream.pending + std::string(text)), {}, end)
                              : put(fd, stream.pending, text, end);
  if (result < 0 && errno == EAGAIN) {
    stream.line_started = line_started;
  } else {
    stream.pending.clear();
  }
  return result;
}

std::string Output::tagged(std::uint32_t rank, Stream& stream, std::string_view text) const {
  const auto tag = "[" + std::to_string(rank) + "] ";
  std::string result;
  for (const char letter : text) {
    if (!stream.line_started) {
      result += tag;
    }
    result += letter;
    stream.line_started = letter != '\n' && letter != '\r';
  }
  return result;
}

ssize_t Output::put(int fd, std::string_view first, std::string_view second, Time end) {
  const auto lock = end == kForever ? std::unique_lock(writing_) : lock_until(end, writing_);
  if (!lock) {
    errno = EAGAIN;
    return -1;
  }
  const int target = fds_[fd == 2 ? 1 : 0];
  std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                             iovec{const_cast<char*>(second.data()), second.size()}};
  while (parts[0].iov_len + parts[1].iov_len > 0) {
    const auto written = ::writev(target, parts.data(), 2);
    if (written >= 0) {
      advance(parts, static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      wait_until_writable(target);
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

ssize_t Output::read(std::uint32_t rank, void* bytes, std::size_t size) {
  if (rank != 0) {
    return 0;
  }
  flush(rank);
  return ::read(0, bytes, size);
}

void Output::flush(std::uint32_t rank) {
  const std::lock_guard lock(lock_of(rank));
  flush_locked(rank, kForever);
}

void Output::flush_all() {
  const Time end = std::chrono::steady_clock::now() + kPatience;
  for (std::uint32_t stripe = 0; stripe < kStripes; ++stripe) {
    const auto lock = lock_until(end, lock_of(stripe));
    for (std::uint32_t rank = stripe; lock && 2 * std::size_t{rank} < streams_.size(); rank += kStripes) {
      flush_locked(rank, end);
    }
  }
}

void Output::flush_locked(std::uint32_t rank, Time end) {
  for (const int fd : {1, 2}) {
    if (!stream(rank, fd).pending.empty()) {
      // Tagged lines are for reading one by one: the next to write would go on in this one.
      write_lines(rank, stream(rank, fd), fd, tag_ ? "\n" : "", end);
    }
  }
}

}  // namespace weft::runtime
