#include "tools/weft/job_client.hpp"

#include <algorithm>
#include <future>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::tools::weft_tool {
namespace {

bool has(const PackedAnswers& answers, std::uint32_t process) {
  return std::ranges::any_of(answers, [process](const auto& answer) { return answer.first == process; });
}

}  // namespace

JobClient::JobClient(const std::string& name) : name_(require_job(name).name) {}

void JobClient::fail() const {
  throw std::runtime_error(
      fmt::format("no process of job '{}' answers: it has ended, or is of another version of Weft", name_));
}

PackedAnswers JobClient::query_all(inspect::Subject subject, int seconds, std::vector<std::string>& remarks) {
  const std::optional<inspect::FoundJob> here = find_job(name_);
  if (!here) {
    return {};
  }
  find_hosts(*here);
  const inspect::Question question{.subject = subject};
  std::vector<std::future<PackedAnswers>> pending;
  for (const std::unique_ptr<Relay>& relay : relays_) {
    pending.push_back(
        std::async(std::launch::async, [&relay, &question, seconds] { return relay->query(question, seconds); }));
  }
  PackedAnswers answers = query_local_processes(*here, question, seconds);
  const bool runs_here = !answers.empty();
  for (std::future<PackedAnswers>& relayed : pending) {
    for (auto& answer : relayed.get()) {
      if (runs_here && !has(answers, answer.first)) {
        answers.push_back(std::move(answer));
      }
    }
  }
  if (runs_here) {
    if (relays_.empty() &&
        !std::ranges::all_of(here->processes, [&](std::uint32_t process) { return has(answers, process); })) {
      facts_.reset();  // the job may have other processes now
      find_hosts(*here);
    }
    remarks = remarks_on_missing(*here, answers);
  }
  return answers;
}

// Makes a relay to each other host of the job: to the host names that no process here has.
void JobClient::find_hosts(const inspect::FoundJob& here) {
  constexpr int kSeconds = 2;
  for (std::size_t i = 0; i < here.processes.size() && !facts_; ++i) {
    facts_ = weft_tool::query<inspect::ProcessFacts>(here, here.processes[i], {.subject = inspect::Subject::facts},
                                                     kSeconds);
    if (!facts_ || facts_->agent.empty()) {
      continue;
    }
    std::set<std::string> others(facts_->hosts.begin(), facts_->hosts.end());
    for (const std::uint32_t process : here.processes) {
      if (process < facts_->hosts.size()) {  // else it is a process of the job before it shrank
        others.erase(facts_->hosts[process]);
      }
    }
    for (const std::string& host : others) {
      relays_.push_back(std::make_unique<Relay>(facts_->agent, host, name_));
    }
  }
}

std::vector<std::string> JobClient::remarks_on_missing(const inspect::FoundJob& here,
                                                       const PackedAnswers& answers) const {
  std::vector<std::string> remarks;
  std::set<std::string> unreachable;
  for (const std::unique_ptr<Relay>& relay : relays_) {
    if (!relay->answers()) {
      unreachable.insert(relay->host());
    }
  }
  std::uint32_t on_unreachable = 0, absent = 0;
  for (std::uint32_t process = 0; facts_ && process < facts_->processes; ++process) {
    if (has(answers, process)) {
      continue;
    }
    if (unreachable.contains(facts_->hosts[process])) {
      ++on_unreachable;
    } else if (std::ranges::find(here.processes, process) != here.processes.end()) {
      remarks.push_back(fmt::format("process {} does not answer", process));
    } else {
      ++absent;
    }
  }
  if (on_unreachable != 0) {
    remarks.push_back(fmt::format("{} of {} processes are missing: weft on {} cannot be asked by '{}'", on_unreachable,
                                  facts_->processes, fmt::join(unreachable, ", "), facts_->agent));
  }
  if (absent != 0) {
    remarks.push_back(fmt::format("{} of {} processes are missing: they have ended, or could not open a socket", absent,
                                  facts_->processes));
  }
  return remarks;
}

}  // namespace weft::tools::weft_tool
