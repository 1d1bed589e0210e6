// Finds jobs and asks their processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/job_folders.hpp"
#include "inspect/messages.hpp"

namespace weft::tools::weft_tool {

std::optional<inspect::FoundJob> find_job(const std::string& name);
// Throws std::runtime_error, one line: there is no such job here, or no such name.
inspect::FoundJob require_job(const std::string& name);

// The packed answer of one process; none where it is gone or does not answer within `seconds`.
std::optional<std::vector<std::byte>> ask_process(const inspect::FoundJob& job, std::uint32_t process,
                                                  inspect::Subject subject, int seconds);

template <typename Answer>
std::optional<Answer> ask(const inspect::FoundJob& job, std::uint32_t process, inspect::Subject subject, int seconds) {
  const auto bytes = ask_process(job, process, subject, seconds);
  if (!bytes) {
    return std::nullopt;
  }
  Answer answer;
  pup::unpack(*bytes, answer);
  return answer;
}

template <typename Answer>
struct Answers {
  std::vector<Answer> processes;
  std::vector<std::string> remarks;  // which process is missing
};

// Of all processes that are here, asked at about the same time: messages that are under way between two of them are
// then few.
template <typename Answer>
Answers<Answer> ask_all(const inspect::FoundJob& job, inspect::Subject subject, int seconds) {
  std::vector<std::future<std::optional<Answer>>> asked;
  for (const std::uint32_t process : job.processes) {
    asked.push_back(std::async(
        std::launch::async, [&job, process, subject, seconds] { return ask<Answer>(job, process, subject, seconds); }));
  }
  Answers<Answer> answers;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto answer = asked[i].get()) {
      answers.processes.push_back(std::move(*answer));
    } else {
      answers.remarks.push_back("process " + std::to_string(job.processes[i]) + " does not answer");
    }
  }
  return answers;
}

// Throws std::runtime_error, one line: no process of the job answers.
[[noreturn]] void fail_to_ask(const inspect::FoundJob& job);

// Which of the job's processes are not in its folder here, and where to run this command of weft for them; empty if
// none. `facts` are one process's.
std::string absent_text(const inspect::FoundJob& job, const inspect::ProcessFacts& facts, const std::string& command);

// "a" as a string of JSON, with quotes.
std::string json_text(const std::string& text);

// The time since then: "3:07", "2:00:10", "4d 02:00:10".
std::string elapsed(std::int64_t since);

}  // namespace weft::tools::weft_tool
