#include "base/say.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "base/printable.hpp"

namespace weft::base {
namespace {

using Clock = std::chrono::steady_clock;

// False if the text was not taken in time, or the descriptor is broken.
bool write_until(std::string_view text, int fd, Clock::time_point end) {
  while (!text.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd wanted{fd, POLLOUT, 0};
    const int found = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (found == 0) {
      return false;
    }
    if (found < 0 && errno == EINTR) {
      continue;
    }
    // A writable pipe takes PIPE_BUF bytes without blocking.
    const ssize_t written = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && ((errno != EINTR && errno != EAGAIN) || Clock::now() >= end)) {
      return false;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return true;
}

}  // namespace

void say(std::string_view text, int fd, std::chrono::milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  bool is_read = true;
  while (is_read && !text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && control_bytes(text.substr(plain)) == 0) {
      ++plain;
    }
    is_read = write_until(text.substr(0, plain), fd, end);
    text.remove_prefix(plain);
    for (std::size_t left = control_bytes(text); left > 0 && is_read; --left) {
      const auto hidden = escaped(text.front());
      is_read = write_until({hidden.data(), hidden.size()}, fd, end);
      text.remove_prefix(1);
    }
  }
}

}  // namespace weft::base
