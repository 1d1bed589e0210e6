// weft stacks: what the ranks of a job do, and where.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/weft/asking.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/source_lines.hpp"
#include "tools/weft/stacks_text.hpp"

namespace weft::tools::weft_tool {
namespace {

struct StacksOptions {
  std::string job;
  bool full = false;
  bool json = false;
};

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

void run_stacks(const StacksOptions& options) {
  const inspect::FoundJob job = require_job(options.job);
  constexpr int kSeconds = 20;
  Answers<inspect::Stacks> answers = ask_all<inspect::Stacks>(job, inspect::Subject::stacks, kSeconds);
  if (answers.processes.empty()) {
    fail_to_ask(job);
  }
  if (std::string absent = absent_text(job, answers.processes.front().process, "stacks"); !absent.empty()) {
    answers.remarks.push_back(std::move(absent));
  }
  std::uint32_t ended = 0;
  for (const inspect::Stacks& process : answers.processes) {
    ended += process.ended;
    answers.remarks.insert(answers.remarks.end(), process.remarks.begin(), process.remarks.end());
  }
  const std::vector<inspect::StackGroup> groups = merged(answers.processes);
  const LinesOfFiles lines = lines_of(groups);
  std::string text;
  if (options.json) {
    for (const inspect::StackGroup& group : groups) {
      text += (text.empty() ? "  " : ",\n  ") + group_json(group, lines);
    }
    std::string remarks;
    for (const std::string& remark : answers.remarks) {
      remarks += (remarks.empty() ? "" : ", ") + json_text(remark);
    }
    print(fmt::format("{{\"job\": {}, \"ended\": {}, \"remarks\": [{}], \"groups\": [\n{}\n]}}\n", json_text(job.name),
                      ended, remarks, text));
    return;
  }
  for (const inspect::StackGroup& group : groups) {
    text += group_text(group, lines, options.full);
  }
  text += ended == 0 ? "" : fmt::format("{} rank{} ended\n", ended, ended == 1 ? " has" : "s have");
  for (const std::string& remark : answers.remarks) {
    text += remark + "\n";
  }
  print(text);
}

}  // namespace

void add_stacks(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("stacks", "Groups a job's ranks by what they do and where: by call and backtrace");
  const auto options = std::make_shared<StacksOptions>();
  command->add_option("JOB", options->job, "A name that weft ps lists")->required();
  command->add_flag("--full", options->full, "The whole backtrace of each group");
  command->add_flag("--json", options->json, "All of it, as JSON");
  command->callback([options] { run_stacks(*options); });
}

}  // namespace weft::tools::weft_tool
