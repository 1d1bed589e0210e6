#include "tools/time_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/duration.hpp"

namespace weft::tools {

namespace {

std::uint32_t seconds_of_variable(const std::string& text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, error] = std::from_chars(text.data(), end, seconds); error != std::errc{} || stop != end) {
    throw base::OptionError("MPIEXEC_TIMEOUT: expected seconds, not '" + text + "'");
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(seconds, 0));
}

}  // namespace

std::uint32_t time_limit(const base::OptionValues& values) {
  const char* const elsewhere = std::getenv("MPIEXEC_TIMEOUT");
  if (!values.given("timeout") && elsewhere != nullptr) {
    return seconds_of_variable(elsewhere);
  }
  const std::optional<double> seconds = base::parse_duration(values.text("timeout"));
  if (!seconds) {
    throw base::OptionError("--timeout: expected a time such as 60, 90s, 2m or 1h, not '" + values.text("timeout") +
                            "'");
  }
  return static_cast<std::uint32_t>(std::ceil(*seconds));
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
