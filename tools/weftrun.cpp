// weftrun: reads options and the environment, and then runs the job in libmpi_abi or starts its processes.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>

#include "base/executable.hpp"
#include "base/options.hpp"
#include "base/options_text.hpp"
#include "base/printable.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "launch/launch.hpp"
#include "runtime/bootstrap/addresses.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/host_proxy.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher.hpp"
#include "runtime/bootstrap/standard_descriptors.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"
#include "runtime/bootstrap/system_calls.hpp"
#include "runtime/placement/job_plan.hpp"
#include "tools/argument_file.hpp"
#include "tools/balancing_options.hpp"
#include "tools/host_options.hpp"
#include "tools/job_options.hpp"
#include "tools/knobs.hpp"
#include "tools/launcher_agent.hpp"
#include "tools/rank_environment.hpp"
#include "tools/size_options.hpp"
#include "tools/survival_options.hpp"
#include "tools/time_limit.hpp"

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionValues;

constexpr const char* kPlacesVariable = "WEFT_PLACES";
constexpr const char* kAgentVariable = "WEFT_AGENT";
constexpr const char* kJobVariable = "WEFT_JOB";

// The arguments of main() without the program's name.
using Arguments = std::span<const char* const>;

std::uint32_t number(const OptionValues& values, std::string_view name) {
  return static_cast<std::uint32_t>(values.integer(name));
}

// Searches the program as execvp() does.
std::string find_program(const std::string& name) {
  namespace fs = std::filesystem;
  if (name.find('/') != std::string::npos) {
    return name;
  }
  if (auto found = base::find_executable(name, base::path_folders())) {
    return *found;
  }
  const auto here = fs::exists(name) ? "; did you mean './" + name + "'?" : std::string();
  throw OptionError("there is no program '" + name + "' in PATH" + here);
}

// If an option asks for a text instead of a run, prints that text and returns true.
bool print_text(const OptionValues& values) {
  if (values.flag("help")) {
    std::cout << base::render_help(weftrun_text(), knobs());
  } else if (values.flag("version")) {
    std::cout << "weftrun (Weft) " << weftrun_text().version << "\n";
  } else {
    return print_balancing_help(values);
  }
  return true;
}

// The programs behind the first, each with its own number of ranks; removes them from `rest`. With --direct, which
// programs started without weftrun give, a colon is an argument like any other.
std::vector<runtime::Application> other_programs(const OptionValues& values, std::vector<std::string>& rest) {
  std::vector<runtime::Application> others;
  auto colon = std::ranges::find(rest, ":");
  const std::vector<std::string> words(colon, rest.end());
  if (values.given("direct") || words.empty()) {
    return others;
  }
  rest.erase(colon, rest.end());
  for (auto word = words.begin(); word != words.end();) {
    const auto end = std::find(word + 1, words.end(), ":");
    std::vector<const char*> arguments;
    std::transform(word + 1, end, std::back_inserter(arguments), [](const std::string& text) { return text.c_str(); });
    OptionValues own(knobs());
    runtime::Application& application = others.emplace_back();
    application.arguments = base::parse_arguments(knobs(), arguments, own);
    for (const base::Option& option : knobs()) {
      if (!option.name.empty() && option.name != "ranks" && own.given(option.name)) {
        throw OptionError("--" + std::string(option.name) + " holds for all programs: it goes before the first");
      }
    }
    if (application.arguments.empty()) {
      throw OptionError("there is no program behind a colon");
    }
    application.program = application.arguments.front();
    application.ranks = own.given("ranks") ? number(own, "ranks") : 1;
    word = end;
  }
  if (values.given("env")) {
    throw OptionError("--env holds for one program, and there are several: --genv sets a variable for all");
  }
  return others;
}

void set_program(launch::LaunchConfig& config, const OptionValues& values, std::vector<std::string> rest) {
  config.others = other_programs(values, rest);
  config.ranks = ranks_of(values, config.others);
  if (!config.tune.empty()) {
    return;
  }
  if (rest.empty()) {
    throw OptionError("no program is given (--help shows how)");
  }
  config.program = values.given("direct") ? values.text("direct") : find_program(rest.front());
  for (runtime::Application& application : config.others) {
    application.program = find_program(application.program);
  }
  config.arguments = std::move(rest);
}

void report_ignored(const OptionValues& values) {
  std::string ignored;
  for (const auto& option : values.ignored()) {
    ignored += " " + option;
  }
  for (const std::string& variable : missing_variables(values)) {
    ignored += " -x " + variable + " (not set)";
  }
  for (const std::string& line : {ignored.empty() ? "" : "no effect here:" + ignored, unused_balancing(values)}) {
    if (!line.empty() && !values.flag("quiet")) {
      base::say("weftrun: " + line + " (-q says nothing)\n");
    }
  }
}

bool starts_processes(const OptionValues& values, const placement::JobPlan& plan) {
  return plan.processes.size() > 1 || may_survive(values) || !bootstrap::is_this_host(plan.hosts.front());
}

// Called before anything is started. Standard input that process 0 reads on another host cannot be read a second time.
void require_survivable(const OptionValues& values, const placement::JobPlan& plan) {
  if (!may_survive(values)) {
    return;
  }
  for (const std::string& host : plan.hosts) {
    if (survives_by_api(values) && !bootstrap::is_this_host(host)) {
      throw OptionError("--survive api works on one host: not with host " + host);
    }
  }
  const std::string& first = plan.hosts.at(plan.processes.front().host);
  if (!bootstrap::is_this_host(first) && !bootstrap::input_identity().empty()) {
    throw OptionError(
        "--survive: process 0 on host " + first +
        " cannot be given its standard input a second time: begin the list of hosts with this one, or give "
        "< /dev/null");
  }
}

int launch_processes(const placement::JobPlan& plan, const OptionValues& values, Arguments arguments) {
  bootstrap::require_calls_between_processes();
  base::check_process_limits(plan.processes.size());
  require_survivable(values, plan);
  ::setenv(kJobVariable, job_name(plan).c_str(), 1);
  ::setenv(kAgentVariable, agent_from_outside(launcher_agent(plan, values)).c_str(), 1);
  bootstrap::forget_launchers();
  ::setenv(kPlacesVariable, placement::to_text(plan.processes).c_str(), 1);
  std::unique_ptr<bootstrap::FolderLock> lock;
  bootstrap::LauncherConfig config;
  config.hosts = plan.host_of_processes();
  config.command = bootstrap::same_command(arguments);
  config.variables = exported_variables(values);
  config.agent = launcher_agent(plan, values);
  config.timeout = time_limit(values);
  config.reports_failures = survives_by_api(values);
  if (may_survive(values) && !config.reports_failures) {
    config.survive_limit = number(values, "survive-limit");
    config.host_timeout = survival_silence(values);
    lock = lock_checkpoints(values);
    config.before_change = [&plan](const bootstrap::ProcessSet& next, const std::vector<std::string>& hosts) {
      ::setenv(kPlacesVariable, placement::to_text(places_of(plan, next, hosts)).c_str(), 1);
    };
  }
  return bootstrap::launch(config);
}

// In the process that the user has started: starts the job's processes and returns the exit code. Returns nothing if
// this process is to become the job's only one; `workers` is then its number of workers, if the plan gives one.
std::optional<int> start_processes(const OptionValues& values, std::vector<std::string> rest, Arguments arguments,
                                   std::optional<std::uint32_t>& workers) {
  launch_config(values);
  const auto others = other_programs(values, rest);
  const placement::JobPlan plan = job_plan(values, others);
  if (values.flag("do-not-launch")) {
    std::cout << map_of_plan(plan, values, others);
    return 0;
  }
  if (starts_processes(values, plan)) {
    return launch_processes(plan, values, arguments);
  }
  if (const std::uint32_t own = plan.processes.front().workers; own != 0) {
    workers = own;
  }
  return std::nullopt;
}

// What weftrun passes, by environment variables, only to the processes that it starts.
struct InheritedSettings {
  std::string images;                           // with --survive: where the images are
  std::vector<placement::ProcessPlace> places;  // of each process
  std::optional<std::uint32_t> workers;         // of a job's only process
  std::string job;                              // the job's name
  std::string agent;                            // by which `weft` reaches other hosts
  std::string host_name;                        // by which the agent reaches this host, if it is not weftrun's
};

// Reads these settings and removes them from the environment.
InheritedSettings take_inherited_settings(const OptionValues& values, bool started_by_weft) {
  InheritedSettings inherited{.images = values.text("WEFT_IMAGES"),
                              .places = {},
                              .workers = std::nullopt,
                              .job = {},
                              .agent = default_agent(),
                              .host_name = values.text(bootstrap::kHostNameVariable)};
  if (started_by_weft) {
    inherited.places = placement::parse_places(values.text(kPlacesVariable));
    inherited.job = values.text(kJobVariable);
    inherited.agent = values.text(kAgentVariable);
    if (inherited.places.size() == 1 && inherited.places.front().workers != 0) {
      inherited.workers = inherited.places.front().workers;
    }
  }
  for (const char* const name : {kPlacesVariable, kJobVariable, kAgentVariable, bootstrap::kHostNameVariable}) {
    ::unsetenv(name);
  }
  return inherited;
}

int run_job(const OptionValues& values, std::vector<std::string> rest, bootstrap::Bootstrap& processes,
            const InheritedSettings& inherited) {
  if (const auto& folder = values.text("wdir"); !folder.empty() && ::chdir(folder.c_str()) != 0) {
    throw OptionError("cannot change to the folder '" + folder + "': " + std::strerror(errno));
  }
  auto config = launch_config(values);
  config.places = inherited.places;
  config.job_name = inherited.job;
  config.agent = inherited.agent;
  config.host_name = inherited.host_name;
  if (inherited.workers) {
    config.workers = inherited.workers;
  }
  if (may_survive(values)) {
    set_survival(config, values, inherited.images, processes);
  }
  set_environment(values);
  set_program(config, values, std::move(rest));
  if (processes.processes() > 1) {
    config.bootstrap = &processes;
    // As in `mpirun -n 4 ./app`, where weftrun is not named: one rank for each process.
    if (values.given("direct") && !values.given("ranks") && !values.given("ratio")) {
      config.ranks = processes.processes();
    }
  }
  return weft_launch(config);
}

// Most errors occur in all processes: process 0 reports them, and the launcher then ends the others while they wait. In
// a job that may survive, process 0 waits as well: the reason may be a process that has died, which the launcher
// detects soon.
int report_error(const std::exception& error, bootstrap::Bootstrap& processes, bool survives) {
  std::string who;
  const bool is_first = number(processes.process()) == 0;
  if (processes.processes() > 1 && (!is_first || survives)) {
    ::sleep(is_first ? 1 : 2);
  }
  if (!is_first) {
    who = "process " + std::to_string(number(processes.process())) + ": ";
  }
  base::say("weftrun: " + who + error.what() + "\n");
  processes.abort(1);
  return 1;
}

// Tries both system calls: the error may be that a seccomp filter forbids one of them.
void write_error(const std::exception& error) {
  std::string line = "weftrun: " + base::printable(error.what()) + "\n";
  iovec part{line.data(), line.size()};
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0 && ::writev(STDERR_FILENO, &part, 1) < 0) {
    return;  // nobody reads it; the exit code still shows the failure
  }
}

// Whether a rank's memory may go to another process, or to a later job. `values`: of the arguments. The environment is
// read without the table, which does not have the variable by which fix_addresses() knows that it has run.
bool needs_fixed_addresses(const OptionValues& values) {
  return bootstrap::is_launched() || values.given("checkpoint") || values.given("restart") ||
         std::getenv("WEFT_CHECKPOINT") != nullptr || std::getenv("WEFT_RESTART") != nullptr;
}

// `file`: the file whose words are among `arguments`; empty: there is none.
int run(Arguments arguments, const std::string& file = {}) {
  OptionValues values(knobs());
  auto rest = base::parse_arguments(knobs(), arguments, values);
  if (const std::string& next = values.text("configfile"); !next.empty()) {
    if (!file.empty()) {
      throw OptionError("--configfile: " + file + " names " + next + ": a file of arguments cannot name another one");
    }
    const std::vector<std::string> words = expand_argument_file(arguments, next, rest);
    std::vector<const char*> longer;
    std::ranges::transform(words, std::back_inserter(longer), [](const std::string& word) { return word.c_str(); });
    return run(longer, next);
  }
  if (print_text(values)) {
    return 0;
  }
  if (needs_fixed_addresses(values)) {
    bootstrap::fix_addresses(arguments);
  }
  base::parse_environment(knobs(), environment(), "WEFT_", values);
  if (print_text(values)) {
    return 0;
  }
  if (values.given("tune") && (!rest.empty() || values.given("collectives"))) {
    throw OptionError("--tune measures by itself: it takes neither a program nor --collectives");
  }
  const bool started_by_weft = bootstrap::is_launched_by_weft();
  InheritedSettings inherited = take_inherited_settings(values, started_by_weft);
  if (bootstrap::is_launched()) {
    bootstrap::require_calls_between_processes();
    if (may_survive(values) && !started_by_weft) {
      throw OptionError("--survive needs processes that weftrun has started: not under srun, mpiexec or mpirun");
    }
    if (!started_by_weft) {
      refuse_hosts(values);
    }
  }
  const auto processes = bootstrap::connect();
  if (number(processes->process()) == 0 && !started_by_weft) {
    report_ignored(values);
  }
  if (processes->processes() == 1 && !started_by_weft) {
    if (const auto code = start_processes(values, rest, arguments, inherited.workers)) {
      processes->finish();
      return *code;
    }
  }
  try {
    const int code = run_job(values, std::move(rest), *processes, inherited);
    processes->finish();
    return code;
  } catch (const std::exception& error) {
    return report_error(error, *processes, may_survive(values));
  }
}

}  // namespace
}  // namespace weft::tools

int main(int argc, char** argv) {
  try {
    weft::bootstrap::require_calls_of_every_process();
    weft::bootstrap::fill_standard_descriptors();
    weft::bootstrap::mask_user_signals(SIG_BLOCK);
    const weft::tools::Arguments arguments(argv + 1, static_cast<std::size_t>(argc - 1));
    if (weft::bootstrap::is_host_proxy()) {
      return weft::bootstrap::run_host_proxy(arguments);
    }
    return weft::tools::run(arguments);
  } catch (const std::exception& error) {
    weft::tools::write_error(error);
    return 1;
  }
}
