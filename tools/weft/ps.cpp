// weft ps: lists this user's jobs on this host.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/weft/commands.hpp"
#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::ProcessFacts;

struct ListedJob {
  inspect::FoundJob found;
  std::optional<ProcessFacts> facts;  // none: no process answers
};

std::vector<ListedJob> listed_jobs() {
  constexpr int kSeconds = 2;
  std::vector<ListedJob> jobs;
  for (inspect::FoundJob& job : inspect::find_jobs()) {
    if (inspect::has_ended(job)) {
      continue;
    }
    std::optional<ProcessFacts> facts;
    for (std::size_t i = 0; i < job.processes.size() && !facts; ++i) {
      facts = query<ProcessFacts>(job, job.processes[i], {.subject = inspect::Subject::facts}, kSeconds);
    }
    jobs.push_back({std::move(job), std::move(facts)});
  }
  return jobs;
}

std::string json_of(const ListedJob& job) {
  std::string text =
      fmt::format("  {{\"job\": {}, \"processes_here\": {}", json_text(job.found.name), job.found.processes.size());
  if (job.facts) {
    const ProcessFacts& facts = *job.facts;
    std::string hosts;
    for (const std::string& host : facts.hosts) {
      hosts += (hosts.empty() ? "" : ", ") + json_text(host);
    }
    text += fmt::format(
        ", \"processes\": {}, \"hosts\": [{}], \"ranks\": {}, \"workers\": {}, \"started\": {}, \"program\": {}",
        facts.processes, hosts, facts.ranks, facts.workers, facts.started, json_text(facts.program));
  }
  return text + "}";
}

void run_ps(bool json) {
  const std::vector<ListedJob> jobs = listed_jobs();
  if (json) {
    std::string text;
    for (const ListedJob& job : jobs) {
      text += (text.empty() ? "" : ",\n") + json_of(job);
    }
    print_json("[\n" + text + "\n]\n");
    return;
  }
  print(
      fmt::format("{:<12} {:>7} {:>7} {:>9} {:>11}  {}\n", "JOB", "RANKS", "WORKERS", "PROCESSES", "TIME", "PROGRAM"));
  for (const ListedJob& job : jobs) {
    if (!job.facts) {
      print(fmt::format("{:<12} {}\n", job.found.name,
                        job.found.processes.empty() ? "has no processes at the moment"
                                                    : "does not answer, or is of another version of Weft"));
      continue;
    }
    const ProcessFacts& facts = *job.facts;
    const std::string processes = facts.processes == job.found.processes.size()
                                      ? std::to_string(facts.processes)
                                      : fmt::format("{} of {}", job.found.processes.size(), facts.processes);
    print(fmt::format("{:<12} {:>7} {:>7} {:>9} {:>11}  {}\n", facts.job, facts.ranks, facts.workers, processes,
                      elapsed(facts.started), facts.program));
  }
}

}  // namespace

void add_ps(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("ps", "Lists this user's jobs on this host");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([json] { run_ps(*json); });
}

}  // namespace weft::tools::weft_tool
