// A job that is asked again and again: its processes on this host at their sockets, those on others through relays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/messages.hpp"
#include "tools/weft/asking.hpp"
#include "tools/weft/relay.hpp"

namespace weft::tools::weft_tool {

template <typename Answer>
struct Answers {
  std::vector<std::uint32_t> numbers;  // of the processes that have answered; those of this host first
  std::vector<Answer> processes;
  std::vector<std::string> remarks;  // who is missing
};

class AskedJob {
 public:
  // Throws std::runtime_error, one line: there is no such job on this host, or no such name.
  explicit AskedJob(const std::string& name);

  const std::string& name() const { return name_; }

  // Of all processes, at about the same time. No answers where the job has ended. A host that has not answered once is
  // not asked again.
  template <typename Answer>
  Answers<Answer> ask(inspect::Subject subject, int seconds) {
    Answers<Answer> answers;
    for (const auto& [process, bytes] : ask_all(subject, seconds, answers.remarks)) {
      answers.numbers.push_back(process);
      pup::unpack(bytes, answers.processes.emplace_back());
    }
    return answers;
  }

  // Throws std::runtime_error, one line: none answers.
  [[noreturn]] void fail() const;

 private:
  PackedAnswers ask_all(inspect::Subject subject, int seconds, std::vector<std::string>& remarks);
  void find_hosts(const inspect::FoundJob& here);
  std::vector<std::string> missing(const inspect::FoundJob& here, const PackedAnswers& answers) const;

  std::string name_;
  std::optional<inspect::ProcessFacts> facts_;  // a process's, once one has answered
  std::vector<std::unique_ptr<Relay>> relays_;  // to each host that has none of the processes here
};

}  // namespace weft::tools::weft_tool
