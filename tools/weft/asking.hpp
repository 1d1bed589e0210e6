// Finds jobs and asks their processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspect/job_folders.hpp"
#include "inspect/messages.hpp"

namespace weft::tools::weft_tool {

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

// "a" as a string of JSON, with quotes.
std::string json_text(const std::string& text);

}  // namespace weft::tools::weft_tool
