// Finds jobs and queries their processes.
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
// Finds the job with this name; an empty name means the only job. Waits up to 10 s for a job that changes its
// processes. Throws std::runtime_error, one line, if there is no such job here or `name` is no job's name.
inspect::FoundJob require_job(const std::string& name);

// The packed answer of one process; none if it has ended or does not answer within `seconds`.
std::optional<std::vector<std::byte>> query_process(const inspect::FoundJob& job, std::uint32_t process,
                                                    inspect::Question question, int seconds);

template <typename Answer>
std::optional<Answer> query(const inspect::FoundJob& job, std::uint32_t process, const inspect::Question& question,
                            int seconds) {
  const auto bytes = query_process(job, process, question, seconds);
  if (!bytes) {
    return std::nullopt;
  }
  Answer answer;
  pup::unpack(*bytes, answer);
  return answer;
}

// Packed answers, by process.
using PackedAnswers = std::vector<std::pair<std::uint32_t, std::vector<std::byte>>>;

// The answers of the job's processes on this host that come within `seconds`. All are queried at about the same time,
// so that few messages are under way between two of their answers.
PackedAnswers query_local_processes(const inspect::FoundJob& job, const inspect::Question& question, int seconds);

// The text as a JSON string in quotes, all ASCII. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(std::string_view text);

// The time since `since` (seconds of the Unix epoch): "3:07", "2:00:10", "4d 02:00:10".
std::string elapsed(std::int64_t since);

}  // namespace weft::tools::weft_tool
