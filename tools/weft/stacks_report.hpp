// Queries a job for the stacks of its ranks, and formats the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/job_client.hpp"
#include "tools/weft/source_lines.hpp"

namespace weft::tools::weft_tool {

struct StacksReport {
  std::string job;
  std::vector<inspect::StackGroup> groups;  // the largest first
  LinesOfFiles lines;
  std::uint32_t ended = 0;           // ranks
  std::vector<std::string> remarks;  // on what is missing, and why
};

// Throws std::runtime_error, one line, if no process of the job answers.
StacksReport query_stacks(JobClient& job);

// A line for each group, with `full` followed by the backtrace; then the remarks.
std::string report_text(const StacksReport& report, bool full);
std::string report_json(const StacksReport& report);

}  // namespace weft::tools::weft_tool
