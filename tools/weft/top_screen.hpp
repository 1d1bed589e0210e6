// Runs `weft top` on a terminal.
#pragma once

#include <chrono>

#include "tools/weft/top_source.hpp"

namespace weft::tools::weft_tool {

// Runs until the user quits or the job has ended. Returns whether the job has ended. Throws std::runtime_error, one
// line, if the kind of the terminal is unknown.
bool run_top_screen(TopSource& source, TopSelection selection, std::chrono::milliseconds interval);

}  // namespace weft::tools::weft_tool
