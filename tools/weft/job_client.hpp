// Queries a job repeatedly: its processes on this host at their sockets, those on other hosts through relays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/job_query.hpp"
#include "tools/weft/relay.hpp"

namespace weft::tools::weft_tool {

template <typename Answer>
struct Answers {
  std::vector<std::uint32_t> numbers;  // of the processes that have answered; those of this host first
  std::vector<Answer> processes;
  std::vector<std::string> remarks;  // on processes without an answer
};

class JobClient {
 public:
  // Throws std::runtime_error, one line, if there is no such job on this host or `name` is no job's name.
  explicit JobClient(const std::string& name);

  const std::string& name() const { return name_; }

  // Queries all processes at about the same time. No answers: the job has ended. A host that has failed to answer once
  // is not queried again.
  template <typename Answer>
  Answers<Answer> query(inspect::Subject subject, int seconds) {
    Answers<Answer> answers;
    for (const auto& [process, bytes] : query_all(subject, seconds, answers.remarks)) {
      answers.numbers.push_back(process);
      pup::unpack(bytes, answers.processes.emplace_back());
    }
    return answers;
  }

  // Throws std::runtime_error, one line: no process answers.
  [[noreturn]] void fail() const;

 private:
  PackedAnswers query_all(inspect::Subject subject, int seconds, std::vector<std::string>& remarks);
  void find_hosts(const inspect::FoundJob& here);
  std::vector<std::string> remarks_on_missing(const inspect::FoundJob& here, const PackedAnswers& answers) const;

  std::string name_;
  std::optional<inspect::ProcessFacts> facts_;  // of a process here; none until one has answered
  std::vector<std::unique_ptr<Relay>> relays_;  // one to each of the job's other hosts
};

}  // namespace weft::tools::weft_tool
