// weftsim run: replays a workload once.
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/compile.hpp"
#include "sim/report.hpp"
#include "sim/sweep.hpp"
#include "sim/timeline.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/setting_options.hpp"
#include "trace/chrome.hpp"

namespace weft::tools::weftsim {
namespace {

struct RunArguments {
  std::string workload;
  std::string platform;
  std::string json;
  std::string steps;
  std::string timeline;
  sim::SettingAxes axes;
};

void run(RunArguments& arguments) {
  expand_strategies(arguments.axes);
  const std::vector<sim::Setting> settings = sim::settings_of(arguments.axes, 1);
  if (settings.size() != 1) {
    throw std::invalid_argument("run takes one value of each option; weftsim sweep takes several");
  }
  const sim::PlatformFile file(arguments.platform);
  const std::vector<sim::Workload> workloads{sim::read_workload(arguments.workload)};
  sim::PreparedReplay prepared = sim::prepare({workloads, file}, settings.front());
  prepared.options.keep_iterations = !arguments.json.empty();
  const sim::Platform& platform = prepared.platform;
  sim::Timeline timeline;
  prepared.options.timeline = arguments.timeline.empty() ? nullptr : &timeline;
  const sim::ReplayResult result = sim::replay(*prepared.workload, platform, prepared.options);
  print(sim::result_table(result, platform));
  if (!arguments.json.empty()) {
    write_file(arguments.json, sim::result_json(result, platform));
  }
  if (!arguments.timeline.empty()) {
    std::ostringstream text;
    trace::write_chrome(timeline.take_trace(), text);
    write_file(arguments.timeline, text.str());
  }
  if (!arguments.steps.empty()) {
    write_file(arguments.steps, sim::result_json(result, platform));
  }
}

}  // namespace

void add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command = app.add_subcommand("run", "Simulate a workload on a platform and say how long it takes");
  command->add_option("workload", arguments->workload, "File of actions, or folder of a recording")->required();
  command->add_option("platform", arguments->platform, "File that describes the machine (docs/simulation.md)")
      ->required();
  add_balancing_options(*command, arguments->axes);
  add_machine_options(*command, arguments->axes);
  command->add_option("--json", arguments->json, "Write everything that is known of the run to this file, too")
      ->check(writable_file());
  command
      ->add_option("--timeline", arguments->timeline,
                   "Write who computed, called and waited when to this file, for ui.perfetto.dev")
      ->check(writable_file());
  command->add_option("--steps", arguments->steps, "The same, without what each worker did in each iteration")
      ->check(writable_file());
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::tools::weftsim
