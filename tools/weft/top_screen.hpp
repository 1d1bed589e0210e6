// `weft top` on a terminal.
#pragma once

#include <chrono>

#include "tools/weft/top_source.hpp"

namespace weft::tools::weft_tool {

// Until the user quits or the job has ended; whether it has. Throws std::runtime_error, one line, where the terminal is
// of an unknown kind.
bool watch_on_screen(TopSource& source, TopSelection selection, std::chrono::milliseconds interval);

}  // namespace weft::tools::weft_tool
