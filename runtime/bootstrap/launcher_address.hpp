// What the launcher tells the processes and proxies that it starts, by WEFT_BOOTSTRAP.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::bootstrap {

constexpr const char* kVariable = "WEFT_BOOTSTRAP";
// Its values for the proxy of another host (host_proxy.hpp). The address of the launcher contains a secret. So it comes
// as the first line of standard input, since others, at least the user's programs, can read an environment. After that
// line follows the job's standard input, or nothing.
constexpr std::string_view kProxyWithInput = "stdin";
constexpr std::string_view kProxyWithoutInput = "stdin-only";

// Its value for a process of the job.
struct LauncherAddress {
  std::uint32_t process = 0, processes = 1;
  int fd = -1;          // an inherited socket, connected to the launcher
  int notices_fd = -1;  // likewise for notices of failures, with --survive api
};

std::string to_text(const LauncherAddress& launcher);
// Throws std::runtime_error.
LauncherAddress parse_launcher_address(std::string_view text);

}  // namespace weft::bootstrap
