// Finds jobs and asks their processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/job_folders.hpp"
#include "inspect/messages.hpp"

namespace weft::tools::weft_tool {

std::optional<inspect::FoundJob> find_job(const std::string& name);
// Without a name the only job. Waits up to 10 s for one that changes its processes. Throws std::runtime_error, one
// line: there is no such job here, or no such name.
inspect::FoundJob require_job(const std::string& name);

// The packed answer of one process; none where it is gone or does not answer within `seconds`.
std::optional<std::vector<std::byte>> ask_process(const inspect::FoundJob& job, std::uint32_t process,
                                                  inspect::Question question, int seconds);

template <typename Answer>
std::optional<Answer> ask(const inspect::FoundJob& job, std::uint32_t process, const inspect::Question& question,
                          int seconds) {
  const auto bytes = ask_process(job, process, question, seconds);
  if (!bytes) {
    return std::nullopt;
  }
  Answer answer;
  pup::unpack(*bytes, answer);
  return answer;
}

// Packed answers, by process.
using PackedAnswers = std::vector<std::pair<std::uint32_t, std::vector<std::byte>>>;

// Of all processes of the job that are here and answer within `seconds`, asked at about the same time: messages that
// are under way between two of them are then few.
PackedAnswers ask_here(const inspect::FoundJob& job, const inspect::Question& question, int seconds);

// "a" as a string of JSON, with quotes, all of it ASCII; what is no UTF-8 is U+FFFD.
std::string json_text(std::string_view text);

// The time since then: "3:07", "2:00:10", "4d 02:00:10".
std::string elapsed(std::int64_t since);

}  // namespace weft::tools::weft_tool
