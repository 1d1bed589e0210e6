#include "base/say.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace weft::base {

void say(std::string_view text, int fd, std::chrono::milliseconds timeout) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + timeout;
  while (!text.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd wanted{fd, POLLOUT, 0};
    const int found = ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (found == 0) {
      return;
    }
    // A pipe that is writable takes so many bytes without waiting.
    const ssize_t written = ::write(fd, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && ((errno != EINTR && errno != EAGAIN) || Clock::now() >= end)) {
      return;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
}

}  // namespace weft::base
