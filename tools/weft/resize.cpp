// weft resize and weft evacuate: change which processes a running job has.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "base/say.hpp"
#include "inspect/job_folders.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/first_process.hpp"
#include "tools/weft/resize_question.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::Question;
using inspect::ResizeState;
using std::chrono::steady_clock;

// Asks for the state alone.
const Question kState{.subject = inspect::Subject::resize};

ResizeState state_of(FirstProcess& first) {
  if (const auto state = first.query(kState)) {
    return *state;
  }
  throw std::runtime_error(fmt::format(
      "process 0 of job '{}' does not answer: it has ended, or is of another version of Weft", first.job()));
}

// Waits until the job has `processes` processes. `asked` is the answer to `question`, which has requested them.
ResizeState wait_for(FirstProcess& first, const Question& question, std::uint32_t processes, ResizeState asked) {
  constexpr std::chrono::milliseconds kPollInterval{10};
  const std::string& job = first.job();
  // If weftrun runs on another host, this host cannot see whether it is alive: waits for a while.
  const std::chrono::seconds longest_silence(job.find('@') == std::string::npos ? 0 : 10);
  auto last_answer = steady_clock::now();
  for (;;) {
    const std::optional<ResizeState> state = first.query(kState);
    last_answer = state ? steady_clock::now() : last_answer;
    if (state && state->processes == processes) {
      return *state;
    }
    if (state && !state->refusal.empty()) {
      throw std::runtime_error(fmt::format("job '{}' goes on as before: {}", job, state->refusal));
    }
    if (state && state->wanted != processes) {
      if (state->pid == asked.pid || state->processes != asked.processes) {
        throw std::runtime_error(fmt::format("job '{}': somebody else has asked for another number since", job));
      }
      asked.pid = state->pid;  // a process has died: the processes started since do not know the request
      if (const auto again = first.query(question)) {
        if (question.change == inspect::Change::leave_host && again->wanted == 0) {
          return *again;  // the host that was to be left has been lost
        }
        if (!again->refusal.empty()) {
          throw std::runtime_error(fmt::format("job '{}' goes on as before: {}", job, again->refusal));
        }
        processes = again->wanted;
      }
    }
    if (!state && !inspect::is_alive(job) && steady_clock::now() - last_answer > longest_silence) {
      throw std::runtime_error(fmt::format("job '{}' has ended", job));
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

// Requests the change and waits for it. `cannot` follows "job '4711' cannot " in an error; `where` follows "will have 3
// processes" in the announcement.
void change(FirstProcess& first, const ResizeState& before, const Question& question, const std::string& cannot,
            const std::string& where) {
  const std::string& job = first.job();
  const std::optional<ResizeState> answer = first.query(question);
  if (!answer) {
    throw std::runtime_error(fmt::format("job '{}' is changing its processes just now: ask again", job));
  }
  const ResizeState& asked = *answer;
  if (!asked.refusal.empty()) {
    throw std::runtime_error(fmt::format("job '{}' cannot {}: {}", job, cannot, asked.refusal));
  }
  const bool is_same = question.change == inspect::Change::count && question.processes == asked.processes;
  if (is_same && asked.wanted != 0) {
    throw std::runtime_error(fmt::format("job '{}' is changing to {} processes just now", job, asked.wanted));
  }
  const std::uint32_t processes = is_same ? asked.processes : asked.wanted;
  if (!is_same) {
    base::say(fmt::format("weft: job '{}' will have {} process{}{} from its next balancing step on\n", job, processes,
                          processes == 1 ? "" : "es", where));
  }
  const ResizeState state = wait_for(first, question, processes, asked);
  print(fmt::format("job {}: {} process{} with {} worker{}, before {}\n", job, processes, processes == 1 ? "" : "es",
                    state.workers, state.workers == 1 ? "" : "s", before.processes));
}

void run_resize(const std::string& name, const std::string& wanted) {
  FirstProcess first(name);
  const ResizeState before = state_of(first);
  const Question question = resize_question(wanted, before.processes);
  const std::string cannot =
      question.change == inspect::Change::count
          ? fmt::format("have {} processes", question.processes)
          : fmt::format("have {} more processes on host {}", question.processes, question.host.data());
  change(first, before, question, cannot, "");
}

void run_evacuate(const std::string& name, const std::string& host) {
  FirstProcess first(name);
  const ResizeState before = state_of(first);
  const Question question = evacuate_question(host);
  change(first, before, question, fmt::format("leave host {}", question.host.data()),
         fmt::format(", none of them on host {},", question.host.data()));
}

}  // namespace

void add_resize(CLI::App& app) {
  CLI::App* const command = app.add_subcommand("resize", "Gives a job of weftrun --survive more or fewer processes");
  const auto name = std::make_shared<std::string>();
  const auto processes = std::make_shared<std::string>();
  command->add_option("JOB", *name, "As weft ps lists it")->required();
  command
      ->add_option("PROCESSES", *processes,
                   "How many it is to have, or +1 for one more, -1 for one fewer, +host:2 for two more on that host")
      ->required();
  command->callback([name, processes] { run_resize(*name, *processes); });
}

void add_evacuate(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("evacuate", "Takes all processes of a job of weftrun --survive from a host");
  const auto name = std::make_shared<std::string>();
  const auto host = std::make_shared<std::string>();
  command->add_option("JOB", *name, "As weft ps lists it")->required();
  command->add_option("HOST", *host, "As --hosts has it")->required();
  command->callback([name, host] { run_evacuate(*name, *host); });
}

}  // namespace weft::tools::weft_tool
