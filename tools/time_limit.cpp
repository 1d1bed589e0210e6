#include "tools/time_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/duration.hpp"

namespace weft::tools {

std::uint32_t time_limit(const base::OptionValues& values) {
  const char* const elsewhere = std::getenv("MPIEXEC_TIMEOUT");
  if (values.given("timeout") || elsewhere == nullptr) {
    return static_cast<std::uint32_t>(values.integer("timeout"));
  }
  std::int64_t seconds = 0;
  const char* const end = elsewhere + std::strlen(elsewhere);
  if (const auto [stop, error] = std::from_chars(elsewhere, end, seconds); error != std::errc{} || stop != end) {
    throw base::OptionError("MPIEXEC_TIMEOUT: expected seconds, not '" + std::string(elsewhere) + "'");
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(seconds, 0));
}

std::optional<double> stall_limit(const base::OptionValues& values) {
  const std::string& text = values.text("stall");
  if (text.empty() && values.origin("stall") != base::OptionOrigin::kArgument) {
    return std::nullopt;
  }
  const std::optional<double> seconds = base::parse_duration(text);
  if (!seconds || *seconds <= 0) {
    throw base::OptionError("--stall: expected a time such as 60s, 500ms or 2m, not '" + text + "'");
  }
  return seconds;
}

}  // namespace weft::tools
