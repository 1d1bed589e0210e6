#include "tools/weft/asking.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <future>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "inspect/connection.hpp"

namespace weft::tools::weft_tool {

std::optional<inspect::FoundJob> find_job(const std::string& name) {
  for (inspect::FoundJob& job : inspect::find_jobs()) {
    if (job.name == name) {
      return std::move(job);
    }
  }
  return std::nullopt;
}

namespace {

// Also of jobs that change their processes just now.
std::string name_of_only_job() {
  std::vector<inspect::FoundJob> jobs = inspect::find_jobs();
  std::erase_if(jobs,
                [](inspect::FoundJob& job) { return !inspect::drop_leftovers(job) && !inspect::is_alive(job.name); });
  if (jobs.size() != 1) {
    throw std::runtime_error(jobs.empty() ? "no job runs on this host"
                                          : fmt::format("which of {} jobs? weft ps lists them", jobs.size()));
  }
  return jobs.front().name;
}

}  // namespace

inspect::FoundJob require_job(const std::string& name) {
  if (name.empty()) {
    return require_job(name_of_only_job());
  }
  if (!inspect::is_job_name(name)) {
    throw std::runtime_error(fmt::format("'{}' is no name of a job: weft ps lists those of this host", name));
  }
  constexpr int kTimes = 200;
  constexpr std::chrono::milliseconds kPause(50);
  for (int i = 0; i < kTimes; ++i) {
    if (std::optional<inspect::FoundJob> job = find_job(name); job && inspect::drop_leftovers(*job)) {
      return *std::move(job);
    }
    if (!inspect::is_alive(name)) {
      break;
    }
    std::this_thread::sleep_for(kPause);
  }
  throw std::runtime_error(fmt::format("no job '{}' runs on this host: weft ps lists those that do", name));
}

std::optional<std::vector<std::byte>> ask_process(const inspect::FoundJob& job, std::uint32_t process,
                                                  inspect::Question question, int seconds) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const inspect::Descriptor connection = inspect::connect_to(job.folder + "/" + inspect::socket_name(process));
  if (!connection) {
    return std::nullopt;
  }
  inspect::limit_waiting(connection, seconds);
  std::vector<std::byte> bytes;
  if (!inspect::send_frame(connection, pup::pack(question)) || !inspect::receive_frame(connection, bytes, kMostBytes)) {
    return std::nullopt;
  }
  return bytes;
}

PackedAnswers ask_here(const inspect::FoundJob& job, inspect::Subject subject, int seconds) {
  std::vector<std::future<std::optional<std::vector<std::byte>>>> asked;
  for (const std::uint32_t process : job.processes) {
    asked.push_back(std::async(std::launch::async, [&job, process, subject, seconds] {
      return ask_process(job, process, {.subject = subject}, seconds);
    }));
  }
  PackedAnswers answers;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (auto answer = asked[i].get()) {
      answers.emplace_back(job.processes[i], std::move(*answer));
    }
  }
  return answers;
}

namespace {

// Of the character that the text begins with; 0: that is no UTF-8 (RFC 3629).
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const std::size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  // Nothing longer than need be, no surrogates, nothing beyond U+10FFFF.
  const unsigned least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  bool is_valid = first >= 0xc2 && first <= 0xf4 && byte(1) >= least && byte(1) <= most;
  for (std::size_t i = 2; i < bytes; ++i) {
    is_valid = is_valid && byte(i) >= 0x80 && byte(i) <= 0xbf;
  }
  return is_valid ? bytes : 0;
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (bytes == 0) {
      out += "\\ufffd";
    } else if (first < 0x20 || base::control_bytes(text) != 0) {  // which spares the ends of lines
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[bytes - 1]));
    } else {
      out += first == '"' || first == '\\' ? "\\" : "";
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out + "\"";
}

std::string elapsed(std::int64_t since) {
  const std::int64_t all = std::max<std::int64_t>(std::time(nullptr) - since, 0);
  const std::int64_t days = all / 86400, hours = all / 3600 % 24, minutes = all / 60 % 60, seconds = all % 60;
  if (days > 0) {
    return fmt::format("{}d {:02}:{:02}:{:02}", days, hours, minutes, seconds);
  }
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, seconds) : fmt::format("{}:{:02}", minutes, seconds);
}

}  // namespace weft::tools::weft_tool
