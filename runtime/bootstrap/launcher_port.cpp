#include "runtime/bootstrap/launcher_port.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/host_name.hpp"
#include "base/options.hpp"
#include "base/random.hpp"
#include "runtime/bootstrap/address_words.hpp"

namespace weft::bootstrap {
namespace {

// Numeric address and port as the kernel wants them, or null.
std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> resolve(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    found = nullptr;
  }
  return {found, &::freeaddrinfo};
}

int begin_connection(const std::string& address, std::uint16_t port) {
  const auto target = resolve(address, port);
  if (target == nullptr) {
    return -1;
  }
  const int fd = ::socket(target->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && ::connect(fd, target->ai_addr, target->ai_addrlen) != 0 && errno != EINPROGRESS) {
    ::close(fd);
    return -1;
  }
  return fd;
}

bool connected(int fd) {
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0;
}

// Waits until one of the sockets is connected and closes the others; -1 if none ever is.
int first_connected(std::vector<pollfd> attempts) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int winner = -1;
  while (winner < 0 && !attempts.empty() && std::chrono::steady_clock::now() < end) {
    ::poll(attempts.data(), attempts.size(), 1000);
    std::erase_if(attempts, [&winner](const pollfd& attempt) {
      if (attempt.revents == 0 || winner >= 0) {
        return false;
      }
      if (connected(attempt.fd)) {
        winner = attempt.fd;
      } else {
        ::close(attempt.fd);
      }
      return true;
    });
  }
  for (const auto& attempt : attempts) {
    ::close(attempt.fd);
  }
  return winner;
}

// Reads one byte at a time: what follows the line belongs to the program.
std::string line_of_input() {
  constexpr std::size_t kMost = 65536;
  std::string line;
  char next = 0;
  while (line.size() < kMost) {
    const ssize_t count = ::read(STDIN_FILENO, &next, 1);
    if (count == 1 && next != '\n') {
      line += next;
    } else if (count >= 0 || errno != EINTR) {
      break;
    }
  }
  return line;
}

std::string numeric(const sockaddr& address, socklen_t bytes) {
  std::array<char, NI_MAXHOST> text{};
  return ::getnameinfo(&address, bytes, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? text.data() : "";
}

}  // namespace

std::string to_text(const LauncherPort& launcher) {
  return fmt::format("{}:{}:{}:{}", launcher.host, launcher.port, launcher.secret, fmt::join(launcher.addresses, ","));
}

LauncherPort parse_launcher_port(std::string_view text) {
  LauncherPort launcher;
  launcher.host = next_number<std::uint32_t>(text);
  launcher.port = next_number<std::uint16_t>(text);
  launcher.secret = next_word(text);
  for (const auto address : base::split_words(text, ',')) {
    launcher.addresses.emplace_back(address);
  }
  return launcher;
}

LauncherPort read_launcher_port() { return parse_launcher_port(line_of_input()); }

int open_connection(const LauncherPort& launcher) {
  std::vector<pollfd> attempts;
  for (const auto& address : launcher.addresses) {
    if (const int fd = begin_connection(address, launcher.port); fd >= 0) {
      attempts.push_back({fd, POLLOUT, 0});
    }
  }
  const int fd = first_connected(std::move(attempts));
  if (fd < 0) {
    throw std::runtime_error(
        fmt::format("port {} of {} cannot be reached from host {}: firewalls between the hosts must let that pass",
                    launcher.port, fmt::join(launcher.addresses, ", "), base::host_name()));
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  keep_alive(fd);
  return fd;
}

Listener listen_on_free_port() {
  // Where there is IPv6, an IPv6 socket serves both families.
  sockaddr_in6 any6{};
  any6.sin6_family = AF_INET6;
  sockaddr_in any4{};
  any4.sin_family = AF_INET;
  int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int off = 0;
  if (fd >= 0 && (::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0 ||
                  ::bind(fd, reinterpret_cast<const sockaddr*>(&any6), sizeof any6) != 0)) {
    ::close(fd);
    fd = -1;
  }
  if (fd < 0) {
    fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&any4), sizeof any4) != 0) {
      throw std::runtime_error(std::string("no port to wait for other hosts on: ") + std::strerror(errno));
    }
  }
  sockaddr_in6 bound{};
  socklen_t bytes = sizeof bound;
  if (::listen(fd, SOMAXCONN) != 0 || ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &bytes) != 0) {
    throw std::runtime_error(std::string("no port to wait for other hosts on: ") + std::strerror(errno));
  }
  return {fd, ntohs(bound.sin6_port)};  // at the same place for both families
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) {
    return addresses;
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 || (one->ifa_flags & IFF_LOOPBACK) != 0) {
      continue;
    }
    const int family = one->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) {
      auto text = numeric(*one->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
      // A link-local address means nothing without the other host's name of the interface.
      if (!text.empty() && text.find('%') == std::string::npos) {
        addresses.push_back(std::move(text));
      }
    }
  }
  if (addresses.empty()) {
    addresses.emplace_back("127.0.0.1");
  }
  return addresses;
}

std::string new_secret() { return fmt::format("{:016x}{:016x}", base::random_bits(), base::random_bits()); }

bool equal_secrets(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

void keep_alive(int fd) {
  const int on = 1, idle = 5, interval = 2, count = 5;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void give_up_after(int fd, std::chrono::milliseconds time) {
  const auto milliseconds = static_cast<unsigned>(time.count());
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

}  // namespace weft::bootstrap
