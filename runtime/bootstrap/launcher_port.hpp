// The port on which the launcher of a job listens for the proxies and processes of other hosts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

struct LauncherPort {
  std::uint32_t host = 0;  // the number of the host to which this is passed
  std::uint16_t port = 0;
  std::string secret;
  std::vector<std::string> addresses;  // numeric, any of which may lead to the launcher
};

std::string to_text(const LauncherPort& launcher);
// Throws std::runtime_error.
LauncherPort parse_launcher_port(std::string_view text);
// Reads it from the next line of standard input, and nothing beyond that line. Throws std::runtime_error.
LauncherPort read_launcher_port();

// Returns a connected, blocking socket, to the first address that answers within 20 s. Throws std::runtime_error.
int open_connection(const LauncherPort& launcher);

struct Listener {
  int fd;
  std::uint16_t port;
};
// Returns a non-blocking socket that listens on all addresses of this host, on a free port. The caller closes it.
// Throws std::runtime_error.
Listener listen_on_free_port();

// This host's addresses that other hosts may be able to reach.
std::vector<std::string> own_addresses();

// 128 random bits in hexadecimal.
std::string new_secret();
// Takes equally long wherever they differ.
bool equal_secrets(std::string_view a, std::string_view b);

// Enables keep-alive, so that a TCP connection notices when the other host has failed.
void keep_alive(int fd);
// Ends the connection when sent data is not acknowledged for this time.
void give_up_after(int fd, std::chrono::milliseconds time);

}  // namespace weft::bootstrap
