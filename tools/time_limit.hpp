// How long weftrun's job may take, and how long it may stand still before that is reported.
#pragma once

#include <cstdint>
#include <optional>

#include "base/options.hpp"

namespace weft::tools {

// Seconds, rounded up; 0: as long as it likes. By --timeout, or by the variable that scripts written for other
// launchers set. Throws OptionError.
std::uint32_t time_limit(const base::OptionValues& values);

// Of --stall, in seconds; none: never. Throws OptionError.
std::optional<double> stall_limit(const base::OptionValues& values);

}  // namespace weft::tools
