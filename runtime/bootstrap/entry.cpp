#include "runtime/bootstrap/entry.hpp"

#include <poll.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace weft::bootstrap {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestWelcome{60};
constexpr std::chrono::milliseconds kPause{20};

// Whether the launcher answers before `end`.
bool is_let_in(FrameStream& stream, const Frame& hello, Clock::time_point end) {
  stream.append(hello);
  while (stream.has_output()) {
    if (!stream.flush()) {
      return false;
    }
  }
  for (;;) {
    if (const auto answer = stream.next()) {
      return answer->kind == FrameKind::kWelcome;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd one{stream.fd(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&one, 1, static_cast<int>(left.count())) == 0 || !stream.receive()) {
      return false;
    }
  }
}

}  // namespace

// Tries again where strangers that flood the launcher's port have pushed this connection out.
std::unique_ptr<FrameStream> enter(const LauncherPort& port, const Frame& hello) {
  const auto end = Clock::now() + kLongestWelcome;
  do {
    auto stream = std::make_unique<FrameStream>(open_connection(port));
    if (is_let_in(*stream, hello, end)) {
      return stream;
    }
    std::this_thread::sleep_for(kPause);
  } while (Clock::now() < end);
  throw std::runtime_error(fmt::format(
      "weftrun's port {} is reached, but nobody there answers as weftrun: look at what listens on it", port.port));
}

}  // namespace weft::bootstrap
