#include "runtime/bootstrap/connect_with_secret.hpp"

#include <poll.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace weft::bootstrap {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestWelcome{60};  // for all attempts together
constexpr std::chrono::milliseconds kPause{20};      // between two attempts

// Sends `hello`; true if the launcher accepts before `end`.
bool is_accepted(FrameStream& stream, const Frame& hello, Clock::time_point end) {
  stream.append(hello);
  while (stream.has_output()) {
    if (!stream.flush()) {
      return false;
    }
  }
  for (;;) {
    if (const auto answer = stream.next()) {
      return answer->kind == FrameKind::kAccepted;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd one{stream.fd(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&one, 1, static_cast<int>(left.count())) == 0 || !stream.receive()) {
      return false;
    }
  }
}

}  // namespace

// Tries again, since unverified connections that flood the launcher's port may have displaced this one.
std::unique_ptr<FrameStream> connect_with_secret(const LauncherPort& port, const Frame& hello) {
  const auto end = Clock::now() + kLongestWelcome;
  do {
    auto stream = std::make_unique<FrameStream>(open_connection(port));
    if (is_accepted(*stream, hello, end)) {
      return stream;
    }
    std::this_thread::sleep_for(kPause);
  } while (Clock::now() < end);
  throw std::runtime_error(fmt::format(
      "weftrun's port {} is reached, but nobody there answers as weftrun: look at what listens on it", port.port));
}

}  // namespace weft::bootstrap
