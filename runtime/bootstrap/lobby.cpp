#include "runtime/bootstrap/lobby.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <stdexcept>

namespace weft::bootstrap {
namespace {

constexpr std::size_t kMostOfStranger = 256;  // bytes in a message
constexpr std::size_t kMostOfOurs = std::size_t{1} << 30;
constexpr std::size_t kMostCallers = 4096;  // at a time

}  // namespace

Lobby::Lobby(std::uint32_t processes) {
  const auto listener = listen_on_free_port();
  listener_ = listener.fd;
  invitation_.processes = processes;
  invitation_.port = listener.port;
  invitation_.secret = new_secret();
  invitation_.addresses = own_addresses();
}

Lobby::~Lobby() { ::close(listener_); }

Invitation Lobby::invitation(std::uint32_t process) const {
  auto one = invitation_;
  one.process = process;
  return one;
}

std::vector<int> Lobby::sockets() const {
  std::vector<int> all{listener_};
  for (const auto& caller : callers_) {
    all.push_back(caller->fd());
  }
  return all;
}

void Lobby::accept_all() {
  for (;;) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EPERM || errno == ENOSYS)) {
      throw std::runtime_error("processes of other hosts cannot come in: the system call accept4 is forbidden here");
    }
    if (fd < 0) {
      return;
    }
    keep_alive(fd);
    callers_.push_back(std::make_unique<FrameStream>(fd, kMostOfStranger));
    if (callers_.size() > kMostCallers) {
      callers_.erase(callers_.begin());
    }
  }
}

void Lobby::receive(const std::function<void(std::uint32_t, std::unique_ptr<FrameStream>&)>& enter) {
  accept_all();
  for (auto& caller : callers_) {
    bool stays = caller->receive();
    try {
      if (const auto hello = caller->next()) {
        stays = false;
        if (hello->kind == FrameKind::kHello && equal_secrets(hello->value, invitation_.secret)) {
          caller->allow(kMostOfOurs);
          enter(hello->number, caller);
        }
      }
    } catch (const std::exception&) {
      stays = false;
    }
    if (!stays) {
      caller.reset();
    }
  }
  std::erase(callers_, nullptr);
}

}  // namespace weft::bootstrap
