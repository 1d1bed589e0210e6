// The one table of weftrun's options and of all WEFT_ variables.
#pragma once

#include <span>

#include "base/options.hpp"
#include "base/options_text.hpp"

namespace weft::tools {

std::span<const base::Option> knobs();
base::CommandText weftrun_text();

}  // namespace weft::tools
