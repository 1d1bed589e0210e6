#include "runtime/bootstrap/acceptor.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <stdexcept>

namespace weft::bootstrap {
namespace {

constexpr std::size_t kMostUnverifiedBytes = 256;  // in the key and value of the first frame
constexpr std::size_t kMostBytes = std::size_t{1} << 30;
// The most connections that have not sent the secret. When there are more the oldest one is closed; if it belongs to
// the job, its other end connects again.
constexpr std::size_t kMostUnverified = 256;
constexpr int kMostAtOnce = 64;  // in one call: the launcher has other work too

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
  for (const auto& connection : unverified_) {
    all.push_back(connection->fd());
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
    if (!unverified_.empty() && (no_more_descriptors || (fd >= 0 && unverified_.size() == kMostUnverified))) {
      unverified_.erase(unverified_.begin());
      ++rejected_;
    }
    if (fd < 0) {
      return;
    }
    keep_alive(fd);
    unverified_.push_back(std::make_unique<FrameStream>(fd, kMostUnverifiedBytes));
  }
}

void Acceptor::receive(const std::function<void(const Frame&, std::unique_ptr<FrameStream>&)>& on_accepted) {
  for (auto& connection : unverified_) {
    bool stays = connection->receive();
    // A connection that is closed without a byte may belong to the job: a process tries several addresses at once.
    const bool has_spoken = connection->has_input();
    try {
      if (const auto hello = connection->next()) {
        stays = false;
        if (hello->kind == FrameKind::kHello && equal_secrets(hello->value, port_.secret)) {
          connection->allow(kMostBytes);
          on_accepted(*hello, connection);
        }
      }
    } catch (const std::exception&) {
      stays = false;
    }
    if (!stays) {
      rejected_ += connection != nullptr && has_spoken ? 1 : 0;
      connection.reset();
    }
  }
  std::erase(unverified_, nullptr);
  accept_some();
}

}  // namespace weft::bootstrap
