#include "tools/weft/stacks_report.hpp"

#include <fmt/format.h>

#include "tools/weft/job_query.hpp"
#include "tools/weft/stacks_text.hpp"

namespace weft::tools::weft_tool {
namespace {

LinesOfFiles lines_of(const std::vector<inspect::StackGroup>& groups) {
  AddressesOfFiles wanted;
  for (const inspect::StackGroup& group : groups) {
    for (const inspect::StackFrame& frame : group.frames) {
      if (frame.is_program) {
        wanted[frame.file].insert(frame.address);
      }
    }
  }
  return source_lines(wanted);
}

}  // namespace

StacksReport query_stacks(JobClient& job) {
  constexpr int kSeconds = 20;
  const Answers<inspect::Stacks> answers = job.query<inspect::Stacks>(inspect::Subject::stacks, kSeconds);
  if (answers.processes.empty()) {
    job.fail();
  }
  StacksReport report{.job = job.name(), .groups = merged(answers.processes), .lines = {}, .remarks = answers.remarks};
  for (const inspect::Stacks& process : answers.processes) {
    report.ended += process.ended;
    report.remarks.insert(report.remarks.end(), process.remarks.begin(), process.remarks.end());
  }
  report.lines = lines_of(report.groups);
  return report;
}

std::string report_text(const StacksReport& report, bool full) {
  std::string text;
  for (const inspect::StackGroup& group : report.groups) {
    text += group_text(group, report.lines, full);
  }
  text +=
      report.ended == 0 ? "" : fmt::format("{} rank{} ended\n", report.ended, report.ended == 1 ? " has" : "s have");
  for (const std::string& remark : report.remarks) {
    text += remark + "\n";
  }
  return text;
}

std::string report_json(const StacksReport& report) {
  std::string groups, remarks;
  for (const inspect::StackGroup& group : report.groups) {
    groups += (groups.empty() ? "  " : ",\n  ") + group_json(group, report.lines);
  }
  for (const std::string& remark : report.remarks) {
    remarks += (remarks.empty() ? "" : ", ") + json_text(remark);
  }
  return fmt::format("{{\"job\": {}, \"ended\": {}, \"remarks\": [{}], \"groups\": [\n{}\n]}}\n", json_text(report.job),
                     report.ended, remarks, groups);
}

}  // namespace weft::tools::weft_tool
