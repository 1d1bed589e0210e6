// weft resize: another number of processes for a running job.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/say.hpp"
#include "tools/weft/asking.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/resize_count.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::ResizeState;

// 0: only asks how far it is. Nothing where no process answers, which is so while the job changes its processes.
std::optional<ResizeState> ask_to_resize(const inspect::FoundJob& job, std::uint32_t processes) {
  constexpr int kSeconds = 10;
  return ask<ResizeState>(job, 0, {.subject = inspect::Subject::resize, .processes = processes}, kSeconds);
}

// Until the job has so many processes, for which the process that answered `asked` has been asked.
ResizeState wait_for(const inspect::FoundJob& job, std::uint32_t processes, ResizeState asked) {
  constexpr std::chrono::milliseconds kBetweenLooks{10};
  for (;;) {
    std::optional<ResizeState> state = ask_to_resize(job, 0);
    if (state && state->processes == processes) {
      return *state;
    }
    if (state && !state->refusal.empty()) {
      throw std::runtime_error(fmt::format("job '{}' goes on as before: {}", job.name, state->refusal));
    }
    if (state && state->wanted != processes) {
      if (state->pid == asked.pid || state->processes != asked.processes) {
        throw std::runtime_error(fmt::format("job '{}': somebody else has asked for another number since", job.name));
      }
      asked.pid = state->pid;  // a process has died meanwhile: those that are there now know nothing of it
      ask_to_resize(job, processes);
    }
    if (!state && !inspect::is_alive(job.name)) {
      throw std::runtime_error(fmt::format("job '{}' has ended", job.name));
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void run_resize(const std::string& name, const std::string& wanted) {
  const inspect::FoundJob job = require_job(name);
  std::optional<ResizeState> state = ask_to_resize(job, 0);
  if (!state) {
    throw std::runtime_error(
        fmt::format("process 0 of job '{}' does not answer: it has ended, or is of another version of Weft", name));
  }
  const std::uint32_t before = state->processes;
  const std::uint32_t processes = resized_count(wanted, before);
  const ResizeState asked = ask_to_resize(job, processes).value_or(*state);
  if (!asked.refusal.empty()) {
    throw std::runtime_error(fmt::format("job '{}' cannot have {} processes: {}", name, processes, asked.refusal));
  }
  if (processes == before && asked.wanted != 0) {
    throw std::runtime_error(fmt::format("job '{}' is changing to {} processes just now", name, asked.wanted));
  }
  if (processes != before) {
    base::say(fmt::format("weft: job '{}' will have {} processes from its next balancing step on\n", name, processes));
  }
  state = wait_for(job, processes, asked);
  print(fmt::format("job {}: {} process{} with {} worker{}, before {}\n", name, processes, processes == 1 ? "" : "es",
                    state->workers, state->workers == 1 ? "" : "s", before));
}

}  // namespace

void add_resize(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("resize", "Gives a job of weftrun --survive another number of processes");
  const auto name = std::make_shared<std::string>();
  const auto processes = std::make_shared<std::string>();
  command->add_option("JOB", *name, "As weft ps lists it")->required();
  command->add_option("PROCESSES", *processes, "How many it is to have, or +1 for one more, -1 for one fewer")
      ->required();
  command->callback([name, processes] { run_resize(*name, *processes); });
}

}  // namespace weft::tools::weft_tool
