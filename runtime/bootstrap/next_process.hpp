// One process of those with which a running job is to go on.
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
  std::optional<std::uint32_t> before;  // which process of the job it is now; nothing: a new one
  bool operator==(const NextProcess&) const = default;
};

// What the launcher answers where it is to go on with processes on hosts that it has not reached yet.
constexpr const char* kHostsAreNotReady = "-";

// For the launcher: "2:0:a,2::b" are two processes of two workers, the first of which is process 0 now.
std::string to_text(const std::vector<NextProcess>& processes);
// Throws std::runtime_error.
std::vector<NextProcess> parse_next_processes(std::string_view text);

}  // namespace weft::bootstrap
