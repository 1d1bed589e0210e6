#include "inspect/connection.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace weft::inspect {
namespace {

// Repeats `move`, which transfers some bytes, until all are transferred, also after signals. Returns false if `move`
// fails or transfers nothing.
template <typename Move>
bool move_all(std::span<std::byte> bytes, Move&& move) {
  while (!bytes.empty()) {
    const ssize_t moved = move(bytes);
    if (moved <= 0) {
      if (moved < 0 && errno == EINTR) {
        continue;
      }
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
  return true;
}

bool send_all(int fd, std::span<const std::byte> bytes) {
  const std::span<std::byte> writable(const_cast<std::byte*>(bytes.data()), bytes.size());
  return move_all(writable, [fd](std::span<std::byte> rest) {
    const ssize_t sent = ::send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? ::write(fd, rest.data(), rest.size()) : sent;
  });
}

bool receive_all(int fd, std::span<std::byte> bytes) {
  return move_all(bytes, [fd](std::span<std::byte> rest) { return ::read(fd, rest.data(), rest.size()); });
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Descriptor connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return Descriptor();
  }
  std::ranges::copy(path, address.sun_path);
  Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr int kLongestWait = 2;  // seconds; connect() blocks if a stopped process has a full queue of connections
  if (!connection) {
    return Descriptor();
  }
  set_timeouts(connection, kLongestWait);
  if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Descriptor();
  }
  if (!is_same_user_or_root(connection)) {
    errno = EPERM;
    return Descriptor();
  }
  return connection;
}

bool is_same_user_or_root(const Descriptor& connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

void set_timeouts(const Descriptor& connection, int seconds) {
  const timeval limit{seconds, 0};
  ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

bool send_frame(const Descriptor& connection, std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  return send_all(connection.get(), std::as_bytes(std::span(&size, 1))) && send_all(connection.get(), bytes);
}

bool receive_frame(const Descriptor& connection, std::vector<std::byte>& bytes, std::size_t most) {
  std::uint64_t size = 0;
  if (!receive_all(connection.get(), std::as_writable_bytes(std::span(&size, 1))) || size > most) {
    return false;
  }
  bytes.resize(size);
  return receive_all(connection.get(), bytes);
}

}  // namespace weft::inspect
