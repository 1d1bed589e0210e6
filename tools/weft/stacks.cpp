// weft stacks: what the ranks of a job do, and where.
#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
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

struct Answers {
  std::vector<inspect::Stacks> processes;
  std::vector<std::string> remarks;
};

// All at about the same time: messages that are under way between two of them are then few.
Answers ask_all(const inspect::FoundJob& job) {
  constexpr int kSeconds = 20;
  std::vector<std::future<std::optional<inspect::Stacks>>> asked;
  for (const std::uint32_t process : job.processes) {
    asked.push_back(std::async(std::launch::async, [&job, process] {
      return ask<inspect::Stacks>(job, process, inspect::Subject::stacks, kSeconds);
    }));
  }
  Answers answers;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto stacks = asked[i].get()) {
      answers.processes.push_back(std::move(*stacks));
    } else {
      answers.remarks.push_back(fmt::format("process {} does not answer", job.processes[i]));
    }
  }
  if (answers.processes.empty()) {
    throw std::runtime_error(
        fmt::format("no process of job '{}' answers: it has ended, or is of another version of Weft", job.name));
  }
  return answers;
}

// Processes of the job that are not in its folder here.
void note_absent(const inspect::FoundJob& job, Answers& answers) {
  const inspect::ProcessFacts& facts = answers.processes.front().process;
  std::set<std::string> hosts;
  std::uint32_t absent = 0;
  const std::string& here = facts.hosts[facts.process];
  for (std::uint32_t p = 0; p < facts.processes; ++p) {
    if (std::ranges::find(job.processes, p) == job.processes.end()) {
      ++absent;
      if (facts.hosts[p] != here) {
        hosts.insert(facts.hosts[p]);
      }
    }
  }
  if (absent != 0) {
    answers.remarks.push_back(
        fmt::format("{} of {} processes cannot be asked from here{}", absent, facts.processes,
                    hosts.empty() ? std::string(": they have ended, or could not open a socket")
                                  : fmt::format(": run weft stacks {} on {}", job.name, fmt::join(hosts, ", "))));
  }
}

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
  Answers answers = ask_all(job);
  note_absent(job, answers);
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
