#include "tools/weft/job_query.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <future>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

std::string name_of_only_job() {
  std::vector<inspect::FoundJob> jobs = inspect::find_jobs();
  std::erase_if(jobs, inspect::has_ended);
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
    if (std::optional<inspect::FoundJob> job = find_job(name); job && inspect::remove_stale_sockets(*job)) {
      return *std::move(job);
    }
    if (!inspect::is_alive(name)) {
      break;
    }
    std::this_thread::sleep_for(kPause);
  }
  throw std::runtime_error(fmt::format("no job '{}' runs on this host: weft ps lists those that do", name));
}

std::optional<std::vector<std::byte>> query_process(const inspect::FoundJob& job, std::uint32_t process,
                                                    inspect::Question question, int seconds) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const inspect::Descriptor connection = inspect::connect_to(job.folder + "/" + inspect::socket_name(process));
  if (!connection) {
    return std::nullopt;
  }
  inspect::set_timeouts(connection, seconds);
  std::vector<std::byte> bytes;
  if (!inspect::send_frame(connection, pup::pack(question)) || !inspect::receive_frame(connection, bytes, kMostBytes)) {
    return std::nullopt;
  }
  return bytes;
}

PackedAnswers query_local_processes(const inspect::FoundJob& job, const inspect::Question& question, int seconds) {
  std::vector<std::future<std::optional<std::vector<std::byte>>>> pending;
  for (const std::uint32_t process : job.processes) {
    pending.push_back(std::async(std::launch::async, [&job, process, &question, seconds] {
      return query_process(job, process, question, seconds);
    }));
  }
  PackedAnswers answers;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (auto answer = pending[i].get()) {
      answers.emplace_back(job.processes[i], std::move(*answer));
    }
  }
  return answers;
}

std::string json_text(std::string_view text) {
  constexpr bool kEscapes = true;
  return nlohmann::json(text).dump(-1, ' ', kEscapes, nlohmann::json::error_handler_t::replace);
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
