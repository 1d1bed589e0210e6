// What `weft resize` and `weft evacuate` ask a job for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inspect/messages.hpp"

namespace weft::tools::weft_tool {

// "3", "+2", "-1", "+host" or "+host:2", for a job that has `processes`. Throws std::runtime_error, one line, where the
// text is none of these, or where no process would be left.
inspect::Question resize_question(std::string_view text, std::uint32_t processes);
// A host as --hosts has it. Throws likewise.
inspect::Question evacuate_question(const std::string& word);

}  // namespace weft::tools::weft_tool
