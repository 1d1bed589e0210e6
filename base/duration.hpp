// Parses durations as users write them.
#pragma once

#include <optional>
#include <string_view>

namespace weft::base {

// The seconds of "30", "30s", "500ms", "2m" or "1h", at most 10^9; nullopt for any other text.
std::optional<double> parse_duration(std::string_view text);

}  // namespace weft::base
