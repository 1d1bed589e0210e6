// Where the processes of one job connect to their launcher: what WEFT_BOOTSTRAP says, and the listening socket for
// other hosts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

constexpr const char* kVariable = "WEFT_BOOTSTRAP";
// Its values where the address holds a secret, which is then the first line of standard input: an environment may be
// looked at, by other programs of the user at least. Of the second nothing follows the line.
constexpr const char* kInInput = "stdin";
constexpr const char* kIsInput = "stdin-only";

struct LauncherAddress {
  std::uint32_t process = 0, processes = 1;
  int fd = -1;  // an inherited socket; or else:
  std::uint16_t port = 0;
  std::string secret;
  std::vector<std::string> addresses;  // numeric, any of which may lead to the launcher
  int notices_fd = -1;                 // an inherited socket for notices of failures, with --survive api
};

std::string to_text(const LauncherAddress& launcher);
// Throws std::runtime_error.
LauncherAddress parse_launcher_address(std::string_view text);
// What the variable's value says, or says where to read; takes no more of standard input than that line, and leaves
// /dev/null there where nothing else is to come. Throws std::runtime_error.
LauncherAddress find_launcher_address(std::string_view value);

// A connected socket; for a port, the first address that answers. Throws std::runtime_error.
int open_connection(const LauncherAddress& launcher);

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

}  // namespace weft::bootstrap
