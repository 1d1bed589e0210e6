#include "tools/time_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/duration.hpp"

namespace weft::tools {

namespace {

constexpr double kMostSeconds = 1e9;  // as in parse_duration()

std::uint32_t seconds_of_variable(const std::string& text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || stop != end || static_cast<double>(seconds) > kMostSeconds) {
    throw base::OptionError("MPIEXEC_TIMEOUT: expected seconds, up to 10^9, not '" + text + "'");
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(seconds, 0));
}

// Nothing if the option is not given, or only by an empty variable.
std::optional<double> duration(const base::OptionValues& values, const std::string& name, const std::string& variable) {
  const std::string& text = values.text(name);
  const base::OptionOrigin origin = values.origin(name);
  if (text.empty() && origin != base::OptionOrigin::kArgument) {
    return std::nullopt;
  }
  const std::optional<double> seconds = base::parse_duration(text);
  if (!seconds) {
    throw base::OptionError((origin == base::OptionOrigin::kEnvironment ? variable : "--" + name) +
                            ": expected a time such as 60, 500ms, 2m or 1h, not '" + text + "'");
  }
  return seconds;
}

}  // namespace

std::uint32_t time_limit(const base::OptionValues& values) {
  const char* const elsewhere = std::getenv("MPIEXEC_TIMEOUT");
  if (!values.given("timeout") && elsewhere != nullptr) {
    return seconds_of_variable(elsewhere);
  }
  constexpr double kPrecision = 1e-6;  // 8.3 * 60 is rounded to a little more than 498, which must not become 499
  return static_cast<std::uint32_t>(std::ceil(duration(values, "timeout", "WEFT_TIMEOUT").value_or(0) - kPrecision));
}

std::optional<double> stall_limit(const base::OptionValues& values) {
  const std::optional<double> seconds = duration(values, "stall", "WEFT_STALL");
  if (seconds && *seconds <= 0) {
    throw base::OptionError("--stall: expected a time above 0, not '" + values.text("stall") + "'");
  }
  return seconds;
}

}  // namespace weft::tools
