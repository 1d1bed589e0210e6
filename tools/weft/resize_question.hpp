// The questions that `weft resize` and `weft evacuate` send to a job.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inspect/messages.hpp"

namespace weft::tools::weft_tool {

// `text` is "3", "+2", "-1", "+host" or "+host:2", for a job that has `processes`. Throws std::runtime_error, one line,
// if it is none of these, or if no process would be left.
inspect::Question resize_question(std::string_view text, std::uint32_t processes);
// `word` is a host as in --hosts. Throws likewise.
inspect::Question evacuate_question(const std::string& word);

}  // namespace weft::tools::weft_tool
