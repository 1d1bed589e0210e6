#include "base/duration.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace weft::base {

std::optional<double> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}}};
  constexpr double kMost = 1e9;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const auto* const unit =
      std::ranges::find(kUnits, std::string_view(stop, end), [](const auto& row) { return row.first; });
  if (error != std::errc{} || unit == kUnits.end()) {
    return std::nullopt;
  }
  const double seconds = number * unit->second;
  return seconds >= 0 && seconds <= kMost ? std::optional(seconds) : std::nullopt;  // false for NaN too
}

}  // namespace weft::base
