#include "launch/restart.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/quotes.hpp"
#include "launch/processes.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/folder_lock.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/placement/process_changes.hpp"

namespace weft::launch {
namespace {

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + base::shell_word(word);
  }
  return line.empty() ? "none" : line;
}

// The arguments that main functions get, without the programs' names: a restart may name a program by another path.
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

// Ranks keep the arguments in their memory, so other arguments would have no effect: refuses them. Giving none is fine.
void check_arguments(const std::string& folder, const std::vector<std::string>& its,
                     const std::vector<std::string>& given) {
  if (given != its && std::ranges::any_of(given, [](const std::string& word) { return word != ":"; })) {
    throw std::runtime_error(
        fmt::format("--restart: the ranks in {} go on with the arguments that they began with ({}), not with {}: leave "
                    "these out",
                    folder, shell_line(its), shell_line(given)));
  }
}

// In which process each rank starts, for ranks that go on from an image in memory. The image's processes may differ
// from the job's: some may be gone, some new.
std::vector<std::uint32_t> first_processes(const runtime::CheckpointReader& reader, const runtime::JobConfig& job) {
  const std::vector<std::uint32_t>& readers = job.file_readers;
  std::vector<std::uint32_t> processes;
  for (std::uint32_t rank = 0; rank < reader.index().ranks; ++rank) {
    processes.push_back(readers.at(reader.entry(rank).file));
  }
  std::vector<std::uint32_t> same(job.processes.size());
  std::iota(same.begin(), same.end(), 0U);
  if (readers == same) {
    return processes;
  }
  placement::JobShape shape;
  for (const auto& process : job.processes) {
    shape.workers.push_back(process.workers);
  }
  return placement::evened_out(std::move(processes), shape);
}

}  // namespace

void apply_checkpoint(std::optional<std::uint32_t> ranks, runtime::JobConfig& job) {
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
  if (!job.file_readers.empty()) {
    job.first_processes = first_processes(reader, job);
  }
}

void lock_folders(runtime::JobConfig& job) {
  using bootstrap::FolderLock;
  if (!job.checkpoint.empty() && !job.survive) {
    job.checkpoint_lock = std::make_shared<FolderLock>(job.checkpoint, FolderLock::For::kWriting);
    bootstrap::CheckpointFolder(job.checkpoint).remove_unfinished();
  }
  std::error_code error;
  const bool is_there = !job.restart.empty() && std::filesystem::is_directory(job.restart, error);
  const std::string folder = is_there ? bootstrap::folder_of_checkpoints(job.restart) : std::string();
  const bool is_own = job.checkpoint_lock
                          ? job.checkpoint_lock->is_of(folder)
                          : !job.checkpoint.empty() && std::filesystem::equivalent(folder, job.checkpoint, error);
  if (is_there && !is_own) {
    job.restart_lock = std::make_shared<FolderLock>(folder, FolderLock::For::kReading);
  }
}

void check_restart(const runtime::JobConfig& job, const runtime::Program& program) {
  if (job.restart.empty()) {
    return;
  }
  const runtime::CheckpointReader reader(job.restart);
  if (const auto differing = first_difference(reader.index().program, program.fingerprint())) {
    const auto& [its, here] = *differing;
    throw std::runtime_error(
        fmt::format("--restart: the checkpoint in {} is not one of this program here: it has {}, this job {}",
                    job.restart, its, here));
  }
}

}  // namespace weft::launch
