// Where the launcher of a job listens for the proxies and processes of other hosts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

struct LauncherPort {
  std::uint32_t host = 0;  // the number of the host that is told of it
  std::uint16_t port = 0;
  std::string secret;
  std::vector<std::string> addresses;  // numeric, any of which may lead to the launcher
};

std::string to_text(const LauncherPort& launcher);
// Throws std::runtime_error.
LauncherPort parse_launcher_port(std::string_view text);
// From the next line of standard input, of which nothing behind that line is taken. Throws std::runtime_error.
LauncherPort read_launcher_port();

// A connected socket, by the first address that answers. Throws std::runtime_error.
int open_connection(const LauncherPort& launcher);

// A socket that listens on all addresses of this host, on a free port. Throws std::runtime_error.
struct Listener {
  int fd;
  std::uint16_t port;
};
Listener listen_on_free_port();

// This host's addresses that other hosts may reach.
std::vector<std::string> own_addresses();

// 128 random bits in hexadecimal.
std::string new_secret();
// Takes as long wherever they differ.
bool equal_secrets(std::string_view a, std::string_view b);

// Makes a TCP connection notice a host that has fallen silent.
void keep_alive(int fd);
// Makes it end where what was sent is not confirmed for so long.
void give_up_after(int fd, std::chrono::milliseconds time);

}  // namespace weft::bootstrap
