// How long weftrun's job may take.
#pragma once

#include <cstdint>

#include "base/options.hpp"

namespace weft::tools {

// Seconds; 0: as long as it likes. By --timeout, or by the variable that scripts written for other launchers set.
std::uint32_t time_limit(const base::OptionValues& values);

}  // namespace weft::tools
