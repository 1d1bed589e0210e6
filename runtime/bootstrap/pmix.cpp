#include "runtime/bootstrap/pmix.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/launcher_client.hpp"
#ifdef WEFT_HAVE_PMIX
#include "runtime/bootstrap/pmix_client.hpp"
#endif

namespace weft::bootstrap {
namespace {

#ifdef WEFT_HAVE_PMIX

void answer(FrameStream& stream, const Frame& frame) {
  stream.append(frame);
  while (stream.has_output() && stream.flush()) {
  }
}

Frame look_up(PmixClient& server, std::uint32_t process, const std::string& key) {
  try {
    return {FrameKind::kValue, 0, "", server.get(ProcessId{process}, key)};
  } catch (const std::exception&) {
    return {FrameKind::kNotFound};
  }
}

// Handles a message. False once nothing more can arrive.
bool serve(PmixClient& server, FrameStream& stream, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kPut:
      server.put(frame.key, frame.value);
      return true;
    case FrameKind::kFence:
      server.fence();
      answer(stream, {FrameKind::kFenced});
      return true;
    case FrameKind::kGet:
      answer(stream, look_up(server, frame.number, frame.key));
      return true;
    case FrameKind::kGetAll:
      for (std::uint32_t p = 0; p < server.processes(); ++p) {
        answer(stream, look_up(server, p, frame.key));
      }
      return true;
    case FrameKind::kFinish:
      server.finish();
      return false;
    case FrameKind::kAbort:
      server.abort(static_cast<int>(frame.number));
      return false;
    default:
      return true;
  }
}

// The relay process. Its first message says how many processes there are, or what went wrong; it runs until the
// connection ends.
[[noreturn]] void run_pmix_relay(int fd) {
  FrameStream stream(fd);
  bool connected = false;
  try {
    PmixClient server;
    connected = true;
    answer(stream, {FrameKind::kValue, server.processes(), std::to_string(number(server.process()))});
    for (bool open = true; open;) {
      while (auto frame = open ? stream.next() : std::nullopt) {
        open = serve(server, stream, *frame);
      }
      open = open && stream.receive();
    }
  } catch (const std::exception& error) {
    if (connected) {
      base::say(std::string("weftrun: ") + error.what() + "\n");
    } else {
      answer(stream, {FrameKind::kFailed, 0, "", error.what()});
    }
  }
  ::_exit(0);
}

#else

[[noreturn]] void run_pmix_relay(int fd) {
  FrameStream stream(fd);
  stream.append({FrameKind::kFailed, 0, "", "PMIx: this weftrun was built without pmix.h (libpmix-dev)"});
  stream.flush();
  ::_exit(0);
}

#endif

// Reads by a copy of the descriptor, which the stream closes: the socket is still needed.
Frame first_frame(int fd) {
  FrameStream stream(::dup(fd));
  for (;;) {
    if (auto frame = stream.next()) {
      return std::move(*frame);
    }
    if (!stream.receive()) {
      throw std::runtime_error("PMIx: the library ended the process that had opened it");
    }
  }
}

class PmixProcess final : public Bootstrap {
 public:
  PmixProcess(std::unique_ptr<Bootstrap> inner, pid_t relay) : inner_(std::move(inner)), relay_(relay) {}

  ProcessId process() const override { return inner_->process(); }
  std::uint32_t processes() const override { return inner_->processes(); }
  void put(std::string_view key, std::string_view value) override { inner_->put(key, value); }
  void fence() override { inner_->fence(); }
  std::string get(ProcessId of, std::string_view key) override { return inner_->get(of, key); }
  std::vector<std::string> get_all(std::string_view key) override { return inner_->get_all(key); }
  void finish() override {
    inner_->finish();
    ::waitpid(relay_, nullptr, 0);
  }
  void abort(int code) override {
    inner_->abort(code);
    ::waitpid(relay_, nullptr, 0);
  }

 private:
  std::unique_ptr<Bootstrap> inner_;
  pid_t relay_;
};

}  // namespace

std::unique_ptr<Bootstrap> connect_pmix() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(std::string("PMIx: no socket: ") + std::strerror(errno));
  }
  const pid_t relay = ::fork();
  if (relay < 0) {
    base::fail_to_start("the process that speaks PMIx", std::strerror(errno));
  }
  if (relay == 0) {
    ::close(ends[0]);
    run_pmix_relay(ends[1]);
  }
  ::close(ends[1]);
  const auto first = first_frame(ends[0]);
  if (first.kind != FrameKind::kValue) {
    ::close(ends[0]);
    ::waitpid(relay, nullptr, 0);
    throw std::runtime_error(first.value);
  }
  LauncherAddress address;
  address.process = static_cast<std::uint32_t>(std::stoul(first.key));
  address.processes = first.number;
  address.fd = ends[0];
  return std::make_unique<PmixProcess>(connect_to_launcher(address), relay);
}

}  // namespace weft::bootstrap
