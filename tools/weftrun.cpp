// weftrun: options, environment, then the job in libmpi_abi.
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>
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
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher.hpp"
#include "runtime/bootstrap/standard_descriptors.hpp"
#include "runtime/bootstrap/start.hpp"
#include "runtime/bootstrap/stop_signals.hpp"
#include "runtime/bootstrap/system_calls.hpp"
#include "tools/balancing_options.hpp"
#include "tools/knobs.hpp"
#include "tools/size_options.hpp"
#include "tools/survival_options.hpp"
#include "tools/time_limit.hpp"

extern "C" char** environ;

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionValues;

// What main gets, without the program's name.
using Arguments = std::span<const char* const>;

// The process's variables as they are now: forget_launchers() and set_environment() change them.
std::span<const char* const> environment() {
  std::size_t count = 0;
  while (environ[count] != nullptr) {
    ++count;
  }
  return {environ, count};
}

std::uint32_t number(const OptionValues& values, std::string_view name) {
  return static_cast<std::uint32_t>(values.integer(name));
}

std::uint64_t parse_address(const std::string& text) {
  std::uint64_t address = 0;
  const auto* const begin = text.data() + (text.starts_with("0x") ? 2 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), address, 16);
  if (error != std::errc{} || end != text.data() + text.size() || address % 4096 != 0) {
    throw OptionError("--region-base: expected a page's address such as 0x400000000000, not '" + text + "'");
  }
  return address;
}

// As execvp finds it.
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

// True if an option asked for a text instead of a run.
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

void set_environment(const OptionValues& values) {
  // Python asks isatty() whether to keep lines back, which must go on telling whether colours are wanted.
  ::setenv("PYTHONUNBUFFERED", "1", 0);
  for (const auto* name : {"x", "genv"}) {
    for (const auto& pair : values.list(name)) {
      const auto equals = pair.find('=');
      // `-x VAR` alone exports what is there anyway.
      if (equals != std::string::npos && ::setenv(pair.substr(0, equals).c_str(), pair.c_str() + equals + 1, 1) != 0) {
        throw OptionError("-" + std::string(name) + ": '" + pair + "' is not VAR=VALUE");
      }
    }
  }
}

// The programs behind the first, each with its own number of ranks; cuts them off `rest`. Of a program's own start the
// colon is an argument like any other.
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

// An empty name would mean that nothing is written, which who gives one, as a script's unset variable, does not expect.
void check_names(const OptionValues& values) {
  for (const std::string_view option :
       {"lb-report", "trace", "otf2", "record", "checkpoint", "restart", "collectives", "tune"}) {
    if (values.origin(option) == base::OptionOrigin::kArgument && values.text(option).empty()) {
      throw OptionError("--" + std::string(option) + ": expected the name of a file or folder, not ''");
    }
  }
}

launch::LaunchConfig launch_config(const OptionValues& values) {
  check_balancing(values);
  check_survival(values);
  check_names(values);
  launch::LaunchConfig config;
  config.job.stack_bytes = values.size("stack");
  config.job.eager_bytes = values.size("eager");
  config.job.unexpected_limit = values.given("unexpected-limit") ? values.size("unexpected-limit") : 0;
  config.job.spin_us = number(values, "spin");
  config.may_spin_longer = !values.given("spin");
  config.job.bind = values.flag("bind");
  config.huge_pages = values.flag("huge-pages");
  config.job.check = values.flag("check");
  config.job.lb = values.text("lb");
  config.job.lb_period = number(values, "lb-period");
  config.job.share = values.flag("lb-continuous");
  config.job.lb_when = values.text("lb-when");
  config.job.lb_model = values.text("lb-model");
  config.job.lb_links = values.text("lb-links");
  config.job.load_clock = values.text("load-clock");
  config.job.lb_summary = values.flag("quiet") ? "none" : values.text("lb-summary");
  config.job.lb_report = values.text("lb-report");
  config.job.trace = values.text("trace");
  config.job.otf2 = values.text("otf2");
  config.job.record = values.text("record");
  config.job.trace_bytes = values.size("trace-memory");
  config.job.checkpoint = values.text("checkpoint");
  config.job.checkpoint_every = number(values, "checkpoint-every");
  config.job.restart = values.text("restart");
  if (config.job.checkpoint_every != 0 && config.job.checkpoint.empty()) {
    throw OptionError("--checkpoint-every needs --checkpoint DIR");
  }
  if (values.given("workers")) {
    config.workers = number(values, "workers");
  }
  config.ratio = number(values, "ratio");
  if (values.given("universe")) {
    config.universe = number(values, "universe");
  }
  config.shared_libraries = values.list("share");
  config.plugins = values.list("plugins");
  config.migrate_at = values.list("migrate-at");
  config.tune = values.text("tune");
  config.collectives = values.text("collectives");
  config.quiet = values.flag("quiet");
  config.region = {.base = parse_address(values.text("region-base")), .size = values.size("region-size")};
  config.net = values.text("net");
  config.timeout = time_limit(values);
  config.preempt = number(values, "preempt");
  config.tag_output = values.flag("tag-output");
  config.verbose = values.flag("verbose");
  return config;
}

void report_ignored(const OptionValues& values) {
  if (values.ignored().empty() || values.flag("quiet")) {
    return;
  }
  std::string line = "weftrun: no effect here:";
  for (const auto& option : values.ignored()) {
    line += " " + option;
  }
  base::say(line + " (-q says nothing)\n");
}

std::vector<std::string> hosts_to_start(const OptionValues& values, std::vector<std::string> rest) {
  return process_hosts(values, other_programs(values, rest));
}

bool starts_processes(const OptionValues& values, const std::vector<std::string>& hosts) {
  return hosts.size() > 1 || may_survive(values) || !bootstrap::is_this_host(hosts.front());
}

// NAME=VALUE that a process on another host needs: Weft's variables and those of -x NAME.
std::vector<std::string> exported(const OptionValues& values) {
  std::vector<std::string> variables;
  for (const std::string_view setting : environment()) {
    const auto name = setting.substr(0, setting.find('='));
    const bool asked = std::ranges::find(values.list("x"), name) != values.list("x").end();
    if (asked || name.starts_with("WEFT_")) {
      variables.emplace_back(setting);
    }
  }
  return variables;
}

int launch_processes(std::vector<std::string> hosts, const OptionValues& values, Arguments arguments) {
  bootstrap::require_calls_between_processes();
  base::require_processes(hosts.size());
  bootstrap::forget_launchers();
  bootstrap::LauncherConfig config;
  config.hosts = std::move(hosts);
  config.command = bootstrap::same_command(arguments);
  config.variables = exported(values);
  config.agent = values.text("launcher-agent");
  config.timeout = time_limit(values);
  if (may_survive(values)) {
    config.survive_limit = number(values, "survive-limit");
  }
  return bootstrap::launch(config);
}

// `images`: what the launcher of a job with --survive says of them.
int run_job(const OptionValues& values, std::vector<std::string> rest, bootstrap::Bootstrap& processes,
            const std::string& images) {
  if (const auto& folder = values.text("wdir"); !folder.empty() && ::chdir(folder.c_str()) != 0) {
    throw OptionError("cannot change to the folder '" + folder + "': " + std::strerror(errno));
  }
  auto config = launch_config(values);
  if (may_survive(values)) {
    set_survival(config, values, images, processes);
  }
  set_environment(values);
  set_program(config, values, std::move(rest));
  if (processes.processes() > 1) {
    config.bootstrap = &processes;
    // As `mpirun -n 4 ./app` means it, with no word of weftrun.
    if (values.given("direct") && !values.given("ranks") && !values.given("ratio")) {
      config.ranks = processes.processes();
    }
  }
  return weft_launch(config);
}

// Most errors are everybody's: process 0 says them, and the launcher then ends the others while they wait. In a job
// that may survive, process 0 waits as well: what it misses may be in a process that has died, of which the launcher
// hears soon.
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

// By whichever call a seccomp filter lets pass: the error may be that one of them is forbidden.
void say_error(const std::exception& error) {
  std::string line = "weftrun: " + base::printable(error.what()) + "\n";
  iovec part{line.data(), line.size()};
  if (::write(STDERR_FILENO, line.data(), line.size()) < 0 && ::writev(STDERR_FILENO, &part, 1) < 0) {
    return;  // nobody listens; the exit code still tells
  }
}

int run(Arguments arguments) {
  OptionValues values(knobs());
  auto rest = base::parse_arguments(knobs(), arguments, values);
  if (print_text(values)) {
    return 0;
  }
  base::parse_environment(knobs(), environment(), "WEFT_", values);
  if (print_text(values)) {
    return 0;
  }
  if (values.given("tune") && (!rest.empty() || values.given("collectives"))) {
    throw OptionError("--tune measures by itself: it takes neither a program nor --collectives");
  }
  const bool started_by_weft = bootstrap::is_launched_by_weft();
  const std::string images = values.text("WEFT_IMAGES");
  if (bootstrap::is_launched()) {
    bootstrap::require_calls_between_processes();
    if (may_survive(values) && !started_by_weft) {
      throw OptionError("--survive needs processes that weftrun has started: not under srun, mpiexec or mpirun");
    }
  }
  const auto processes = bootstrap::connect();
  if (number(processes->process()) == 0 && !started_by_weft) {
    report_ignored(values);
  }
  if (processes->processes() == 1 && !started_by_weft) {
    launch_config(values);
    if (auto hosts = hosts_to_start(values, rest); starts_processes(values, hosts)) {
      processes->finish();
      return launch_processes(std::move(hosts), values, arguments);
    }
  }
  try {
    const int code = run_job(values, std::move(rest), *processes, images);
    processes->finish();
    return code;
  } catch (const std::exception& error) {
    return report_error(error, *processes, may_survive(values));
  }
}

}  // namespace
}  // namespace weft::tools

// A rank's memory goes to another process, or to a later job. The program may have options of these names too: then
// this is in vain.
static bool needs_fixed_addresses(std::span<char* const> arguments) {
  return weft::bootstrap::is_launched() || std::getenv("WEFT_CHECKPOINT") != nullptr ||
         std::getenv("WEFT_RESTART") != nullptr || std::ranges::any_of(arguments, [](const std::string_view argument) {
           return argument.starts_with("--checkpoint") || argument.starts_with("--restart");
         });
}

int main(int argc, char** argv) {
  try {
    weft::bootstrap::require_calls_of_every_process();
    weft::bootstrap::fill_standard_descriptors();
    weft::bootstrap::mask_user_signals(SIG_BLOCK);
    if (needs_fixed_addresses({argv, static_cast<std::size_t>(argc)})) {
      weft::bootstrap::fix_addresses(argv);
    }
    return weft::tools::run({argv + 1, static_cast<std::size_t>(argc - 1)});
  } catch (const std::exception& error) {
    weft::tools::say_error(error);
    return 1;
  }
}
