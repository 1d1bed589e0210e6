// Asks a job what its ranks do and where, and says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/asked_job.hpp"
#include "tools/weft/source_lines.hpp"

namespace weft::tools::weft_tool {

struct StacksReport {
  std::string job;
  std::vector<inspect::StackGroup> groups;  // the largest first
  LinesOfFiles lines;
  std::uint32_t ended = 0;           // ranks
  std::vector<std::string> remarks;  // what is missing, and why
};

// Throws std::runtime_error, one line: no process of the job answers.
StacksReport ask_stacks(AskedJob& job);

// A line for each group, with `full` the backtrace below; then the remarks.
std::string report_text(const StacksReport& report, bool full);
std::string report_json(const StacksReport& report);

}  // namespace weft::tools::weft_tool
