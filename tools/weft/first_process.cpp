#include "tools/weft/first_process.hpp"

#include <algorithm>

#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {
namespace {

constexpr int kSeconds = 10;  // that an answer may take

}  // namespace

FirstProcess::FirstProcess(const std::string& job) : job_(require_job(job).name) {
  if (const auto here = find_job(job_)) {
    find_hosts(*here);
  }
}

// Asks the processes on this host, until one answers, for the hosts of all processes. Returns whether one has answered.
bool FirstProcess::find_hosts(const inspect::FoundJob& here) {
  for (const std::uint32_t process : here.processes) {
    if (const auto facts = weft_tool::query<inspect::ProcessFacts>(here, process, {}, kSeconds)) {
      agent_ = facts->agent;
      hosts_ = facts->hosts;
      return true;
    }
  }
  return false;
}

// If no process is here, the job is changing its processes or has left this host.
std::optional<inspect::ResizeState> FirstProcess::query(const inspect::Question& question) {
  constexpr std::chrono::seconds kLongestChange{1};
  std::optional<inspect::ResizeState> state;
  const auto here = find_job(job_);
  if (here) {
    state = weft_tool::query<inspect::ResizeState>(*here, 0, question, kSeconds);
  }
  if (!state && here && find_hosts(*here)) {
    state = query_on(hosts_.front(), question);
  } else if (!state && std::chrono::steady_clock::now() - last_answer_ > kLongestChange) {
    for (auto host = hosts_.begin(); host != hosts_.end() && !state; ++host) {
      state = query_on(*host, question);
    }
  }
  last_answer_ = state ? std::chrono::steady_clock::now() : last_answer_;
  return state;
}

std::optional<inspect::ResizeState> FirstProcess::query_on(const std::string& host, const inspect::Question& question) {
  if (agent_.empty()) {
    return std::nullopt;
  }
  if (!relay_ || relay_->host() != host || !relay_->answers()) {
    relay_ = std::make_unique<Relay>(agent_, host, job_);
  }
  const PackedAnswers answers = relay_->query(question, kSeconds);
  const auto first = std::ranges::find(answers, 0U, &PackedAnswers::value_type::first);
  if (first == answers.end()) {
    return std::nullopt;
  }
  inspect::ResizeState state;
  pup::unpack(first->second, state);
  return state;
}

}  // namespace weft::tools::weft_tool
