// What `weft resize` is asked for: a number of processes, or how many more or fewer.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::tools::weft_tool {

// "3", "+2" or "-1", for a job that has `processes`. Throws std::runtime_error, one line, where the text is none of
// these, or where no process would be left.
std::uint32_t resized_count(std::string_view text, std::uint32_t processes);

}  // namespace weft::tools::weft_tool
