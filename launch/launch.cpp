#include "launch/launch.hpp"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/say.hpp"
#include "launch/call_sites.hpp"
#include "launch/crash.hpp"
#include "launch/debug_ranks.hpp"
#include "launch/default_migration_points.hpp"
#include "launch/destinations.hpp"
#include "launch/image_program.hpp"
#include "launch/inspection_server.hpp"
#include "launch/job_map.hpp"
#include "launch/job_size.hpp"
#include "launch/open_socket.hpp"
#include "launch/preemption.hpp"
#include "launch/processes.hpp"
#include "launch/restart.hpp"
#include "launch/stall_watch.hpp"
#include "launch/time_limit.hpp"
#include "launch/trace_folders.hpp"
#include "launch/user_signals.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/tuning/table_in_use.hpp"
#include "mpi_shim/coll/tuning/tuner.hpp"
#include "mpi_shim/dynamic/parent_info.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/layer/mpi_layer.hpp"
#include "runtime/image/capacity.hpp"
#include "runtime/image/program.hpp"
#include "runtime/net/fabric_endpoint.hpp"
#include "runtime/output/output.hpp"

namespace weft::launch {
namespace {

// libweft_rank.so lies beside the library that this code is in.
std::string shim_path() {
  Dl_info library;
  if (::dladdr(reinterpret_cast<const void*>(&weft_launch), &library) == 0) {
    return "libweft_rank.so";
  }
  return std::filesystem::path(library.dli_fname).replace_filename("libweft_rank.so").string();
}

bool is_first(const OtherProcesses& others) { return !others || others->is_first(); }

// The job's command line, in the form of TraceConfig.
std::vector<std::string> command_of(const LaunchConfig& config) {
  std::vector<std::string> command = config.arguments;
  command.front() = config.program;
  for (const runtime::Application& application : config.others) {
    command.emplace_back(":");
    command.insert(command.end(), application.arguments.begin(), application.arguments.end());
  }
  return command;
}

// Loads the programs behind the first one: the job's last ranks run them.
void load_other_programs(const std::vector<runtime::Application>& applications, ImageProgram& program,
                         std::uint32_t ranks) {
  std::uint32_t end = ranks;
  mpi_shim::first_of_application.assign(1, 0);
  for (std::size_t i = applications.size(); i-- > 0;) {
    const runtime::Application& application = applications[i];
    std::vector<RankId> own_ranks;
    for (std::uint32_t r = end - application.ranks; r < end; ++r) {
      own_ranks.push_back(RankId{r});
    }
    program.load(application, own_ranks);
    end -= application.ranks;
    mpi_shim::first_of_application.insert(mpi_shim::first_of_application.begin() + 1, end);
  }
}

void describe_job(const LaunchConfig& config, const runtime::JobConfig& job, const OtherProcesses& others,
                  const image::Program& program) {
  const std::string workers = others
                                  ? fmt::format("{} workers in {} processes", others->workers().total, others->count())
                                  : fmt::format("{} workers", std::min(job.workers, job.ranks));
  base::say(fmt::format("weftrun: {} ranks of {} on {}, strategy {}, {} private images, {} mappings a rank\n",
                        job.ranks, config.program, workers, job.lb, program.images().size(),
                        program.layout().mappings_per_rank));
}

// Connects this process with the others; null when there are none.
runtime::Cluster* connect_processes(const LaunchConfig& config, OtherProcesses& others, const runtime::Program& program,
                                    runtime::JobConfig& job) {
  if (!others) {
    if (config.net != "auto") {
      net::require_provider(config.net);
    }
    if (config.launcher != nullptr) {
      job.end_processes = [&config](int code) { config.launcher->abort(code); };
    }
    return nullptr;
  }
  std::string why;
  job.ranks_may_leave = others->fingerprints_match(program.fingerprint(), why);
  if (!job.ranks_may_leave && job.lb != "none" && others->is_first()) {
    base::say(fmt::format("weftrun: ranks move inside their processes only: {}\n", why));
  }
  if (job.restart.empty()) {
    job.stack_guard = others->common_stack_guard();
  }
  job.end_processes = [&others](int code) { others->abort(code); };
  job.ranks_moved = [&others](const runtime::Job& moved) { others->announce(moved); };
  return &others->connect(config.net);
}

// Seconds after which this process ends the job; 0: never. Process 0 alone has a limit, which ends all processes.
std::uint32_t limit_of(const LaunchConfig& config) {
  return config.bootstrap != nullptr && number(config.bootstrap->process()) != 0 ? 0 : config.timeout;
}

int run_within_limit(runtime::Job& job, const StartLimit& start) {
  const TimeLimit limit(job, start);
  return job.run();
}

int run_with_stall_watch(const LaunchConfig& config, runtime::Job& job, const StartLimit& start, const JobName& name) {
  std::optional<StallWatch> watch;
  if (config.stall && number(job.process()) == 0) {
    watch.emplace(name.text(), *config.stall);
  }
  return run_within_limit(job, start);
}

// The number of workers with which --tune would measure this job.
std::uint32_t total_workers(const runtime::JobConfig& job, const OtherProcesses& others) {
  return std::min(others ? others->workers().total : job.workers, job.ranks);
}

// Implements --tune: measures collectives instead of running a program. Returns the exit code.
int tune(const LaunchConfig& config) {
  const StartLimit start(limit_of(config), config.bootstrap);
  OtherProcesses others;
  if (config.bootstrap != nullptr) {
    others.emplace(config);
  }
  auto job_config = sized_job(config, others);
  if (job_config.ranks < 2) {
    throw std::runtime_error("--tune: a job of one rank has nothing to measure; -n says how many");
  }
  const bool writes = is_first(others);
  std::vector<mpi_shim::MeasuredChoices> known =
      writes ? mpi_shim::known_choices(config.tune) : std::vector<mpi_shim::MeasuredChoices>{};
  mpi_shim::Tuner tuner({.quiet = config.quiet}, job_config.ranks);
  runtime::FunctionProgram program(
      [&](runtime::Rank& rank) {
        tuner.run(rank);
        return 0;
      },
      std::size_t{1} << 20);
  runtime::Cluster* const cluster = connect_processes(config, others, program, job_config);
  mpi_shim::MpiLayer mpi_layer;
  runtime::Job job(job_config, program, &mpi_layer, cluster);
  if (others) {
    others->wait_for_all();
  }
  const int code = run_within_limit(job, start);
  if (others) {
    others->disconnect();
  }
  if (writes && code == 0) {
    mpi_shim::write_choices(config.tune, mpi_shim::merged(std::move(known), tuner.found()));
  }
  return code;
}

// Switches on what MPI calls do besides their own work.
void set_up_calls(const LaunchConfig& config) {
  mpi_shim::enabled_migration_points = mpi_shim::migration_points(config.migrate_at);
  mpi_shim::calls_are_traced = !config.job.trace.empty() || !config.job.otf2.empty() || !config.job.record.empty();
  mpi_shim::calls_are_recorded = !config.job.record.empty();
  mpi_shim::calls_are_counted = config.stall.has_value();
  mpi_shim::call_hooks_enabled = mpi_shim::calls_are_traced || mpi_shim::calls_are_counted;
}

// The job's configuration, at its start or from the checkpoint of --restart. Locks the folders that the job uses.
runtime::JobConfig prepare_job(const LaunchConfig& config, const OtherProcesses& others) {
  auto job = sized_job(config, others);
  job.command = command_of(config);
  if (!config.migrate_at.empty()) {
    job.lb_calls = fmt::format("blocking {} over all ranks", fmt::join(config.migrate_at, " or "));
  }
  if (is_first(others)) {
    require_destinations(job);
    lock_folders(job);
  }
  if (!config.job.restart.empty()) {
    apply_checkpoint(config.ranks, job);
    apply_rank_count(config, job);
  } else if (config.job.saves_ranks()) {
    job.stack_guard = random_stack_guard();
  }
  if (config.universe && *config.universe < job.ranks) {
    throw std::runtime_error(
        fmt::format("--universe {} is less than the {} ranks that the job begins with", *config.universe, job.ranks));
  }
  return job;
}

// Makes the function that loads the job's programs and those that it spawns.
ImageProgram::Loader make_loader(const ProgramsConfig& config, std::size_t stack_bytes) {
  image::ProgramOptions options;
  options.layout.stack_bytes = stack_bytes;
  options.shared = config.shared_libraries;
  options.plugins = config.plugins;
  return [options = std::move(options)](const std::string& path) {
    return image::Program::load(path, shim_path(), options);
  };
}

// Ends the process without destroying its objects: threads of ranks may still run, and use memory that the destructors
// would free.
[[noreturn]] void exit_without_destructors(const LaunchConfig& config, runtime::Output& output, int code) {
  withdraw_job_socket();
  output.finish();
  std::fflush(nullptr);
  if (bootstrap::Bootstrap* const launcher = config.bootstrap != nullptr ? config.bootstrap : config.launcher;
      launcher != nullptr) {
    launcher->finish();
  }
  ::_exit(code);
}

void set_flush_hooks(runtime::JobConfig& job, const ImageProgram& ranks, runtime::Output& output) {
  job.before_abort = [&ranks] {
    withdraw_job_socket();
    ranks.flush_at_abort();
  };
  job.flush_output = [&output] { output.finish(); };
}

void report_time(const LaunchConfig& config, const OtherProcesses& others, const ImageProgram& ranks) {
  if (config.verbose && is_first(others)) {
    std::fputs(fmt::format("weftrun: the ranks ran for {:.6f} s\n", ranks.seconds_of_ranks()).c_str(), stderr);
  }
}

// With --check: process 0 prints the leaks of all processes.
void print_leaks(const LaunchConfig& config, mpi_shim::MpiLayer& layer, OtherProcesses& others) {
  if (!config.job.check) {
    return;
  }
  mpi_shim::LeakReport& leaks = layer.leaks();
  leaks.find_lines(*layer.call_sites());
  if (others) {
    const std::vector<std::byte> mine = pup::pack(leaks);
    leaks = {};
    for (const std::string& text :
         others->gather("weft-leaks", {reinterpret_cast<const char*>(mine.data()), mine.size()})) {
      mpi_shim::LeakReport part;
      pup::unpack(std::as_bytes(std::span(text)), part);
      leaks.merge(std::move(part));
    }
  }
  std::fputs(base::printable(leaks.text()).c_str(), stderr);
}

// Tells the launcher which ranks live here, and waits for the other processes. What they published before is then
// visible here.
void announce_and_wait(OtherProcesses& others, const runtime::Job& job) {
  if (others) {
    others->announce(job);
    others->wait_for_all();
  }
}

int run(const LaunchConfig& config) {
  const StartLimit start(limit_of(config), config.bootstrap);
  set_up_calls(config);
  if (!config.job.otf2.empty()) {
    prepare_archive(config.job.otf2);
  }
  OtherProcesses others;
  if (config.bootstrap != nullptr) {
    others.emplace(config);
  }
  if (!config.job.record.empty() && is_first(others)) {
    prepare_recording(config.job.record);
  }
  auto job_config = prepare_job(config, others);
  const image::Region region(job_config.ranks + job_config.max_spawned, config.region);
  const auto load = make_loader(config, job_config.stack_bytes);
  const auto program = load(config.program);
  image::check_capacity(job_config.ranks / (others ? others->count() : 1), program->layout().mappings_per_rank);
  if (config.verbose && is_first(others)) {
    describe_job(config, job_config, others, *program);
  }
  runtime::Output output(job_config.ranks + job_config.max_spawned, config.tag_output,
                         {.buffers_lines = !others && ::isatty(STDOUT_FILENO) == 0});
  enable_default_migration_points(config, *program, is_first(others));
  ImageProgram ranks(*program, region, output, config.arguments);
  set_flush_hooks(job_config, ranks, output);
  output.set_has_input(!others || others->has_input());
  ranks.set_loader(config.program, load);
  load_other_programs(config.others, ranks, job_config.ranks);
  runtime::Cluster* const cluster = connect_processes(config, others, ranks, job_config);
  if (!config.job.record.empty()) {
    set_recording_folder(config, job_config);
  }
  check_restart(job_config, ranks);
  const auto binding = bind_workers(config, others, job_config);
  const mpi_shim::TableInUse table(config.collectives, total_workers(job_config, others), config.bootstrap);
  mpi_shim::MpiLayer mpi_layer(std::make_unique<ProgramCallSites>());
  runtime::Job job(job_config, ranks, &mpi_layer, cluster);
  static_cast<ProgramCallSites&>(*mpi_layer.call_sites()).attach(job, ranks);
  copy_output(config, job, output);
  const DebugRanks debug(job);
  report_crashes(ranks, job_config.stack_bytes, config.launcher);
  const JobName name(config);
  announce_and_wait(others, job);
  display_map(config, job, job_config.bound_to, others);
  const UserSignals signals(job, job_config);
  const Preemption preemption(job, ranks, config.preempt);
  const InspectionServer inspection_server(job, ranks, name, config.verbose || config.stall);
  const int code = run_with_stall_watch(config, job, start, name);
  report_time(config, others, ranks);
  print_leaks(config, mpi_layer, others);
  if (others) {
    output.finish();
    others->disconnect();
  }
  if (ranks.has_left_threads()) {
    exit_without_destructors(config, output, code);
  }
  return code;
}

}  // namespace
}  // namespace weft::launch

int weft_launch(const weft::launch::LaunchConfig& config) {
  if (!config.huge_pages) {
    ::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  }
  return config.tune.empty() ? weft::launch::run(config) : weft::launch::tune(config);
}

// The wrappers' <errno.h> calls this outside of ranks; a rank has its own copy in libweft_rank.
extern "C" [[gnu::visibility("default")]] int* weft_errno() { return &errno; }
