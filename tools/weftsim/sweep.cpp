// weftsim sweep: replays workloads with many settings.
#include "sim/sweep.hpp"

#include <memory>
#include <string>
#include <vector>

#include "sim/compile.hpp"
#include "sim/sweep_report.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/progress.hpp"
#include "tools/weftsim/setting_options.hpp"

namespace weft::tools::weftsim {
namespace {

struct SweepArguments {
  std::vector<std::string> files;  // workloads, then the platform
  std::string json;
  unsigned jobs = default_threads();
  bool quiet = false;
  sim::SettingAxes axes;
};

void sweep(SweepArguments& arguments) {
  const sim::PlatformFile platform(arguments.files.back());
  const std::vector<std::string> names(arguments.files.begin(), arguments.files.end() - 1);
  std::vector<sim::Workload> workloads;
  for (const std::string& name : names) {
    workloads.push_back(sim::read_workload(name));
  }
  expand_strategies(arguments.axes);
  const std::vector<sim::Setting> settings =
      sim::settings_of(arguments.axes, static_cast<std::uint32_t>(workloads.size()));
  Progress progress("replays", arguments.quiet);
  const std::vector<sim::Outcome> outcomes =
      sim::replay_all({workloads, platform}, settings, arguments.jobs,
                      [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  progress.end();
  const sim::SweepResult result{settings, outcomes, names};
  print(sim::sweep_table(result));
  if (!arguments.json.empty()) {
    write_file(arguments.json, sim::sweep_json(result));
  }
}

}  // namespace

void add_sweep(CLI::App& app) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App* const command =
      app.add_subcommand("sweep", "Simulate workloads with all combinations of the options' values");
  command->add_option("files", arguments->files, "Workloads, then the platform")->required()->expected(2, -1);
  add_balancing_options(*command, arguments->axes);
  add_machine_options(*command, arguments->axes);
  command->add_option("--json", arguments->json, "Write the table to this file, too, for weftsim compare")
      ->check(writable_file());
  command->add_option("-j,--jobs", arguments->jobs, "Replays at a time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_flag("-q,--quiet", arguments->quiet, "Say nothing of the progress");
  command->callback([arguments] { sweep(*arguments); });
}

}  // namespace weft::tools::weftsim
