// A process with which a running job is to continue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::bootstrap {

struct NextProcess {
  std::string host;  // a name by which the launcher's agent reaches it, or one of the launcher's own
  std::uint32_t workers = 0;
  std::optional<std::uint32_t> before;  // its present number; nothing: a new process
  bool operator==(const NextProcess&) const = default;
};

// The launcher's answer while it cannot reach the hosts of these processes yet.
constexpr const char* kHostsAreNotReady = "-";

// For the launcher: "2:0:a,2::b" are two processes of two workers, the first of which is process 0 now.
std::string to_text(const std::vector<NextProcess>& processes);
// Throws std::runtime_error.
std::vector<NextProcess> parse_next_processes(std::string_view text);

}  // namespace weft::bootstrap
