#include "tools/weft/asked_job.hpp"

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

AskedJob::AskedJob(const std::string& name) : name_(require_job(name).name) {}

void AskedJob::fail() const {
  throw std::runtime_error(
      fmt::format("no process of job '{}' answers: it has ended, or is of another version of Weft", name_));
}

PackedAnswers AskedJob::ask_all(inspect::Subject subject, int seconds, std::vector<std::string>& remarks) {
  const std::optional<inspect::FoundJob> here = find_job(name_);
  if (!here) {
    return {};
  }
  find_hosts(*here);
  const inspect::Question question{.subject = subject};
  std::vector<std::future<PackedAnswers>> asked;
  for (const std::unique_ptr<Relay>& relay : relays_) {
    asked.push_back(
        std::async(std::launch::async, [&relay, &question, seconds] { return relay->ask(question, seconds); }));
  }
  PackedAnswers answers = ask_here(*here, question, seconds);
  const bool runs_here = !answers.empty();
  for (std::future<PackedAnswers>& more : asked) {
    for (auto& answer : more.get()) {
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
    remarks = missing(*here, answers);
  }
  return answers;
}

// Those that the job knows by other names than that of the processes which are here.
void AskedJob::find_hosts(const inspect::FoundJob& here) {
  constexpr int kSeconds = 2;
  for (std::size_t i = 0; i < here.processes.size() && !facts_; ++i) {
    facts_ =
        weft_tool::ask<inspect::ProcessFacts>(here, here.processes[i], {.subject = inspect::Subject::facts}, kSeconds);
    if (!facts_ || facts_->agent.empty()) {
      continue;
    }
    std::set<std::string> others(facts_->hosts.begin(), facts_->hosts.end());
    for (const std::uint32_t process : here.processes) {
      if (process < facts_->hosts.size()) {  // else one of before the job has shrunk
        others.erase(facts_->hosts[process]);
      }
    }
    for (const std::string& host : others) {
      relays_.push_back(std::make_unique<Relay>(facts_->agent, host, name_));
    }
  }
}

std::vector<std::string> AskedJob::missing(const inspect::FoundJob& here, const PackedAnswers& answers) const {
  std::vector<std::string> remarks;
  std::set<std::string> silent;
  for (const std::unique_ptr<Relay>& relay : relays_) {
    if (!relay->answers()) {
      silent.insert(relay->host());
    }
  }
  std::uint32_t on_silent = 0, absent = 0;
  for (std::uint32_t process = 0; facts_ && process < facts_->processes; ++process) {
    if (has(answers, process)) {
      continue;
    }
    if (silent.contains(facts_->hosts[process])) {
      ++on_silent;
    } else if (std::ranges::find(here.processes, process) != here.processes.end()) {
      remarks.push_back(fmt::format("process {} does not answer", process));
    } else {
      ++absent;
    }
  }
  if (on_silent != 0) {
    remarks.push_back(fmt::format("{} of {} processes are missing: weft on {} cannot be asked by '{}'", on_silent,
                                  facts_->processes, fmt::join(silent, ", "), facts_->agent));
  }
  if (absent != 0) {
    remarks.push_back(fmt::format("{} of {} processes are missing: they have ended, or could not open a socket", absent,
                                  facts_->processes));
  }
  return remarks;
}

}  // namespace weft::tools::weft_tool
