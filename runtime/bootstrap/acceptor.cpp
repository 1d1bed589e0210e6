#include "runtime/bootstrap/acceptor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <stdexcept>

namespace weft::bootstrap {
namespace {

constexpr std::size_t kMostOfStranger = 256;  // bytes in a message
constexpr std::size_t kMostOfOurs = std::size_t{1} << 30;
// Open connections. One that sends nothing is closed when so many others have come; a process of the job whose
// connection is closed so connects again.
constexpr std::size_t kMostCallers = 256;
constexpr int kMostAtOnce = 64;  // the launcher has more to do

}  // namespace

Acceptor::Acceptor() {
  const auto listener = listen_on_free_port();
  listener_ = listener.fd;
  port_.port = listener.port;
  port_.secret = new_secret();
  port_.addresses = own_addresses();
}

Acceptor::~Acceptor() { ::close(listener_); }

LauncherPort Acceptor::port(std::uint32_t host) const {
  auto one = port_;
  one.host = host;
  return one;
}

std::vector<int> Acceptor::sockets() const {
  std::vector<int> all{listener_};
  for (const auto& caller : callers_) {
    all.push_back(caller->fd());
  }
  return all;
}

void Acceptor::accept_some() {
  for (int i = 0; i < kMostAtOnce; ++i) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EPERM || errno == ENOSYS)) {
      throw std::runtime_error("processes of other hosts cannot come in: the system call accept4 is forbidden here");
    }
    const bool no_more_descriptors = fd < 0 && (errno == EMFILE || errno == ENFILE);
    if (!callers_.empty() && (no_more_descriptors || (fd >= 0 && callers_.size() == kMostCallers))) {
      callers_.erase(callers_.begin());
      ++strangers_;
    }
    if (fd < 0) {
      return;
    }
    keep_alive(fd);
    callers_.push_back(std::make_unique<FrameStream>(fd, kMostOfStranger));
  }
}

void Acceptor::receive(const std::function<void(const Frame&, std::unique_ptr<FrameStream>&)>& enter) {
  for (auto& caller : callers_) {
    bool stays = caller->receive();
    // A connection that is closed without a byte may be of the job: a process tries several addresses at once.
    const bool has_spoken = caller->has_input();
    try {
      if (const auto hello = caller->next()) {
        stays = false;
        if (hello->kind == FrameKind::kHello && equal_secrets(hello->value, port_.secret)) {
          caller->allow(kMostOfOurs);
          enter(*hello, caller);
        }
      }
    } catch (const std::exception&) {
      stays = false;
    }
    if (!stays) {
      strangers_ += caller != nullptr && has_spoken ? 1 : 0;
      caller.reset();
    }
  }
  std::erase(callers_, nullptr);
  accept_some();
}

}  // namespace weft::bootstrap
