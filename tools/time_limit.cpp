#include "tools/time_limit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

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

}  // namespace weft::tools
