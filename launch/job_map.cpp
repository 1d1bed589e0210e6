#include "launch/job_map.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/host_name.hpp"
#include "base/options.hpp"
#include "runtime/lbstep/checkpoint_files.hpp"
#include "runtime/placement/map_text.hpp"

namespace weft::launch {
namespace {

// The line of this process: its host's name, then what each of its workers is bound to, separated by spaces.
std::string process_text(const std::vector<std::vector<std::uint32_t>>& bound_to, std::uint32_t workers) {
  std::string text = base::host_name();
  for (std::uint32_t w = 0; w < workers; ++w) {
    text += " " + (w < bound_to.size() ? placement::ranges_text(bound_to[w]) : std::string("any"));
  }
  return text;
}

}  // namespace

std::unique_ptr<runtime::CoreBinding> bind_workers(const LaunchConfig& config, const OtherProcesses& others,
                                                   runtime::JobConfig& job) {
  if (!job.bind) {
    if (config.bind_to && others && !others->has_own_cores()) {
      throw std::runtime_error("--bind-to: this host has fewer cores than the job has processes on it");
    }
    return nullptr;
  }
  const std::uint32_t most = job.ranks + (job.idle_workers ? job.max_spawned : 0);
  auto binding = std::make_unique<runtime::CoreBinding>(others ? job.workers : std::min(job.workers, most),
                                                        config.bind_to.value_or(runtime::BindTo::own_core));
  job.bound_to = binding->bound_to();
  job.bind = !job.bound_to.empty();
  return binding;
}

void display_map(const LaunchConfig& config, const runtime::Job& job,
                 const std::vector<std::vector<std::uint32_t>>& bound_to, OtherProcesses& others) {
  if (!config.display_map && !config.report_bindings) {
    return;
  }
  const std::string mine = process_text(bound_to, job.worker_count());
  const std::vector<std::string> texts = others ? others->allgather("weft-map", mine) : std::vector{mine};
  if (number(job.process()) != 0) {
    return;
  }
  std::vector<std::string> hosts;
  std::vector<std::string> cores;
  for (const std::string& text : texts) {
    const auto words = base::split_words(text);
    hosts.emplace_back(words.front());
    cores.insert(cores.end(), words.begin() + 1, words.end());
  }
  const std::string text = placement::map_text(job.shape(), job.first_workers(), hosts, cores);
  for (std::FILE* const stream : {config.display_map ? stdout : nullptr, config.report_bindings ? stderr : nullptr}) {
    if (stream != nullptr) {
      std::fputs(text.c_str(), stream);
      std::fflush(stream);
    }
  }
}

void copy_output(const LaunchConfig& config, const runtime::Job& job, runtime::Output& output) {
  if (config.output_folder.empty()) {
    return;
  }
  const bool is_resumed = runtime::CheckpointFiles::are_in_memory(config.job.restart);  // by new processes
  runtime::RankFiles files(config.output_folder, job.rank_count());
  for (std::uint32_t r = 0; r < job.rank_count(); ++r) {
    if (runtime::Job::process_of(job.rank(r)) == job.process()) {
      files.make(r, is_resumed);
    }
  }
  output.copy_to(std::move(files), config.output_to_files_only);
}

}  // namespace weft::launch
