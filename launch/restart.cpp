#include "launch/restart.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/quotes.hpp"
#include "launch/processes.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/folder_lock.hpp"

namespace weft::launch {
namespace {

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + base::shell_word(word);
  }
  return line.empty() ? "none" : line;
}

// What main functions get behind the programs' names, which may lead there by another path.
std::vector<std::string> arguments_in(const std::vector<std::string>& command) {
  std::vector<std::string> arguments;
  bool is_name = true;
  for (const std::string& word : command) {
    if (!is_name) {
      arguments.push_back(word);
    }
    is_name = word == ":";
  }
  return arguments;
}

// Ranks have their arguments in their memory: who gives others would wait for what never comes. Giving none is fine.
void check_arguments(const std::string& folder, const std::vector<std::string>& its,
                     const std::vector<std::string>& given) {
  if (given != its && std::ranges::any_of(given, [](const std::string& word) { return word != ":"; })) {
    throw std::runtime_error(
        fmt::format("--restart: the ranks in {} go on with the arguments that they began with ({}), not with {}: leave "
                    "these out",
                    folder, shell_line(its), shell_line(given)));
  }
}

}  // namespace

void take_over(std::optional<std::uint32_t> ranks, std::uint32_t processes, runtime::JobConfig& job) {
  const runtime::CheckpointReader reader(job.restart);
  const runtime::CheckpointIndex& index = reader.index();
  if (ranks && *ranks != index.ranks) {
    throw std::runtime_error(
        fmt::format("--restart: the checkpoint in {} is one of {} ranks, not of {}", job.restart, index.ranks, *ranks));
  }
  check_arguments(job.restart, arguments_in(index.command), arguments_in(job.command));
  job.command = index.command;
  job.ranks = index.ranks;
  job.stack_guard = index.stack_guard;
  // Where the processes are those that wrote it each finds the files of its ranks on its host.
  if (runtime::CheckpointFiles::are_in_memory(job.restart) && index.processes == processes) {
    for (std::uint32_t rank = 0; rank < index.ranks; ++rank) {
      job.first_processes.push_back(reader.entry(rank).file);
    }
  }
}

void lock_folders(runtime::JobConfig& job) {
  using runtime::FolderLock;
  if (!job.checkpoint.empty()) {
    job.checkpoint_lock = std::make_shared<runtime::FolderLock>(job.checkpoint, runtime::FolderLock::For::kWriting);
  }
  std::error_code error;
  const bool is_there = !job.restart.empty() && std::filesystem::is_directory(job.restart, error);
  if (is_there && !(job.checkpoint_lock && job.checkpoint_lock->is_of(job.restart))) {
    job.restart_lock = std::make_shared<runtime::FolderLock>(job.restart, runtime::FolderLock::For::kReading);
  }
}

void check_restart(const runtime::JobConfig& job, const runtime::Program& program) {
  if (job.restart.empty()) {
    return;
  }
  const runtime::CheckpointReader reader(job.restart);
  if (const auto apart = difference(reader.index().program, program.fingerprint())) {
    const auto& [its, here] = *apart;
    throw std::runtime_error(
        fmt::format("--restart: the checkpoint in {} is not one of this program here: it has {}, this job {}",
                    job.restart, its, here));
  }
}

}  // namespace weft::launch
