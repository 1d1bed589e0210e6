// Times as users write them.
#pragma once

#include <optional>
#include <string_view>

namespace weft::base {

// Seconds of "30", "30s", "500ms", "2m" or "1h", up to 10^9; nothing for anything else.
std::optional<double> parse_duration(std::string_view text);

}  // namespace weft::base
