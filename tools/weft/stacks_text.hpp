// Formats what `weft stacks` prints: merges the groups of several processes, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/source_lines.hpp"

namespace weft::tools::weft_tool {

// Merges groups that do the same at the same place, whatever process they are in; the largest group comes first.
std::vector<inspect::StackGroup> merged(const std::vector<inspect::Stacks>& processes);

// "0-16,18-9999"
std::string ranges_text(const std::vector<inspect::RankRange>& ranges);
std::uint64_t count_of(const std::vector<inspect::RankRange>& ranges);

// "9,999 ranks wait in MPI_Recv at a.c:120 (0-16,18-9999)"; with `full` followed by the backtrace.
std::string group_text(const inspect::StackGroup& group, const LinesOfFiles& lines, bool full);
std::string group_json(const inspect::StackGroup& group, const LinesOfFiles& lines);

}  // namespace weft::tools::weft_tool
